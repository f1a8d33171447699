// SPDX-License-Identifier: Apache-2.0
// Takes a finished task out: reads where its accesses have their rows, hands each to the table to be released, and
// gives the entry of the pool back. It needs no room anywhere, so it never waits but for the table.
module nexus_finish #(
  parameter int unsigned PoolBits = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Ids of the Finished FIFO.
  input  logic                id_valid_i,
  input  logic [PoolBits-1:0] id_i,
  output logic                id_take_o,
  // Reads of the pool; the answer comes a cycle later and stays.
  output logic                count_read_o,
  output logic [PoolBits-1:0] count_address_o,
  input  logic [3:0]          count_i,
  output logic                slot_read_o,
  output logic [PoolBits+2:0] slot_address_o,
  // The next access, for the table; its row is what the pool has answered.
  output logic                op_valid_o,
  input  logic                op_take_i,
  // An entry that is free again.
  output logic                give_o,
  output logic [PoolBits-1:0] give_id_o,
  output logic                moves_o
);
  logic                active_q;
  logic [PoolBits-1:0] id_q;
  logic [2:0]          slot_q;
  logic                last, ends;

  assign op_valid_o = active_q && count_i != '0;
  assign last = 32'(slot_q) + 1 >= 32'(count_i);
  assign ends = active_q && (count_i == '0 || (op_take_i && last));

  assign id_take_o = id_valid_i && (!active_q || ends);
  assign count_read_o = id_take_o;
  assign count_address_o = id_i;
  assign slot_read_o = id_take_o || (op_take_i && !last);
  assign slot_address_o = id_take_o ? {id_i, 3'd0} : {id_q, slot_q + 3'd1};
  assign give_o = ends;
  assign give_id_o = id_q;
  assign moves_o = active_q || id_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
    end else if (id_take_o) begin
      active_q <= 1'b1;
      id_q <= id_i;
      slot_q <= '0;
    end else begin
      if (ends) active_q <= 1'b0;
      if (op_take_i) slot_q <= slot_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!op_take_i || op_valid_o) else $error("an access is released that nobody has handed over");
    assert (!active_q || count_i <= 4'd8) else $error("a finished task has more accesses than an entry");
  end
`endif
endmodule
