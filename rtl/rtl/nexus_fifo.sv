// SPDX-License-Identifier: Apache-2.0
// A FIFO whose first word stands at data_o as long as occupancy_o is not 0.
module nexus_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned DepthBits = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               push_i,
  input  logic [Width-1:0]   data_i,
  input  logic               pop_i,
  output logic [Width-1:0]   data_o,
  output logic [DepthBits:0] occupancy_o
);
  logic [Width-1:0]     words_q[2**DepthBits];
  logic [DepthBits-1:0] first_q, end_q;
  logic [DepthBits:0]   occupancy_q;

  assign data_o = words_q[first_q];
  assign occupancy_o = occupancy_q;

  always_ff @(posedge clk_i) if (push_i) words_q[end_q] <= data_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      end_q <= '0;
      occupancy_q <= '0;
    end else begin
      if (push_i) end_q <= end_q + 1'b1;
      if (pop_i) first_q <= first_q + 1'b1;
      if (push_i && !pop_i) occupancy_q <= occupancy_q + 1'b1;
      if (pop_i && !push_i) occupancy_q <= occupancy_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!push_i || !occupancy_q[DepthBits]) else $error("a word is put into a full FIFO");
    assert (!pop_i || occupancy_q != '0) else $error("a word is taken from an empty FIFO");
  end
`endif
endmodule
