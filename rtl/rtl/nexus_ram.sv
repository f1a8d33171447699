// SPDX-License-Identifier: Apache-2.0
// A memory with one port to write and one to read; what is read comes a cycle later and stays until the next read. If
// both name one word in one cycle, the old word is read.
module nexus_ram #(
  parameter int unsigned Width = 8,
  parameter int unsigned AddressBits = 4
) (
  input  logic                   clk_i,
  input  logic                   write_i,
  input  logic [AddressBits-1:0] write_address_i,
  input  logic [Width-1:0]       write_data_i,
  input  logic                   read_i,
  input  logic [AddressBits-1:0] read_address_i,
  output logic [Width-1:0]       read_data_o
);
  logic [Width-1:0] words_q[2**AddressBits];

  always_ff @(posedge clk_i) begin
    if (write_i) words_q[write_address_i] <= write_data_i;
    if (read_i) read_data_o <= words_q[read_address_i];
  end
endmodule
