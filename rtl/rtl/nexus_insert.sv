// SPDX-License-Identifier: Apache-2.0
// Takes a whole task in: gives it an entry of the pool and hands its accesses to the table, one a cycle. If the set of
// one is full it stops there, and goes on when a row of the table has been freed.
module nexus_insert #(
  parameter int unsigned PoolBits = 10,
  parameter int unsigned SetBits = 8
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // A whole task.
  input  logic                task_valid_i,
  output logic                task_take_o,
  input  logic [3:0]          count_i,
  input  logic [nexus_words::EntryAccesses*nexus_words::AccessAddressWidth-1:0] addresses_i,
  input  logic [nexus_words::EntryAccesses-1:0] writes_i,
  // A free entry of the pool, taken with the task.
  input  logic                free_valid_i,
  input  logic [PoolBits-1:0] free_id_i,
  // The next access, for the table.
  output logic                op_valid_o,
  input  logic                op_take_i,
  output logic                op_empty_o, // the task has no access at all
  output logic                op_last_o,
  output logic [SetBits-1:0]  op_set_o,
  output logic [nexus_words::AccessAddressWidth-1:0] op_address_o,
  output logic                op_writes_o,
  output logic [2:0]          op_slot_o,
  // What has come of an access that was taken in the cycle before.
  input  logic                done_i,
  input  logic                full_i,
  input  logic                last_i,
  input  logic [2:0]          slot_i,
  input  logic                freed_i, // the table has freed a row
  // The task that is being taken in.
  output logic                active_o,
  output logic [PoolBits-1:0] id_o,
  output logic                moves_o
);
  localparam int unsigned A = nexus_words::AccessAddressWidth;

  logic                       active_q, stopped_q, issued_q; // issued_q: the last access is with the table
  logic [PoolBits-1:0]        id_q;
  logic [3:0]                 count_q;
  logic [2:0]                 slot_q;
  logic [nexus_words::EntryAccesses*A-1:0] addresses_q;
  logic [nexus_words::EntryAccesses-1:0]   writes_q;

  logic ends, turned_away;
  assign turned_away = done_i && full_i;
  assign ends = done_i && !full_i && last_i;

  assign task_take_o = task_valid_i && free_valid_i && (!active_q || ends);
  assign op_valid_o = active_q && !stopped_q && !issued_q && !turned_away;
  assign op_empty_o = count_q == '0;
  assign op_last_o = 32'(slot_q) + 1 >= 32'(count_q);
  assign op_slot_o = slot_q;
  assign op_address_o = addresses_q[slot_q*A +: A];
  assign op_writes_o = writes_q[slot_q];
  assign active_o = active_q;
  assign id_o = id_q;
  assign moves_o = task_take_o || op_valid_o;

  nexus_hash #(.SetBits(SetBits)) u_hash (.address_i(op_address_o), .set_o(op_set_o));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      stopped_q <= 1'b0;
      issued_q <= 1'b0;
    end else if (task_take_o) begin
      active_q <= 1'b1;
      issued_q <= 1'b0;
      id_q <= free_id_i;
      count_q <= count_i;
      slot_q <= '0;
      addresses_q <= addresses_i;
      writes_q <= writes_i;
    end else begin
      if (ends) active_q <= 1'b0;
      if (freed_i) stopped_q <= 1'b0;
      if (turned_away) begin
        stopped_q <= 1'b1;
        issued_q <= 1'b0;
        slot_q <= slot_i;
      end else if (op_valid_o && op_take_i) begin
        issued_q <= op_last_o;
        slot_q <= slot_q + 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!done_i || active_q) else $error("the table answers for an access that nobody has handed to it");
    assert (!(turned_away && freed_i)) else $error("the table frees a row and finds a set full in one cycle");
  end
`endif
endmodule
