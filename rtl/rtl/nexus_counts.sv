// SPDX-License-Identifier: Apache-2.0
// The Dependence Counts: how many accesses of each task wait. A task is ready when there are none, once. That of the
// task which is being taken in is counted apart, since others may end meanwhile and begin what it has waited for.
module nexus_counts #(
  parameter int unsigned PoolBits = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // An access of the task that is being taken in.
  input  logic                add_i,
  input  logic                add_waits_i,
  input  logic                add_last_i,
  input  logic [PoolBits-1:0] add_id_i,
  // The task that is being taken in.
  input  logic                entering_i,
  input  logic [PoolBits-1:0] entering_id_i,
  // An access waits no longer. Never together with add_i.
  input  logic                wake_i,
  input  logic [PoolBits-1:0] wake_id_i,
  // A task is ready.
  output logic                ready_o,
  output logic [PoolBits-1:0] ready_id_o
);
  logic [3:0] counts_q[2**PoolBits];
  logic [3:0] entering_q; // of the task that is being taken in
  logic [3:0] total, stored;
  logic       wakes_entering, write;

  assign total = entering_q + {3'd0, add_waits_i};
  assign stored = counts_q[wake_id_i];
  assign wakes_entering = wake_i && entering_i && wake_id_i == entering_id_i;
  assign ready_o = add_i ? add_last_i && total == '0 : wake_i && !wakes_entering && stored == 4'd1;
  assign ready_id_o = add_i ? add_id_i : wake_id_i;
  assign write = (add_i && add_last_i) || (wake_i && !wakes_entering);

  always_ff @(posedge clk_i) begin
    if (write) counts_q[add_i ? add_id_i : wake_id_i] <= add_i ? total : stored - 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) entering_q <= '0;
    else if (add_i) entering_q <= add_last_i ? '0 : total;
    else if (wakes_entering) entering_q <= entering_q - 1'b1;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(add_i && wake_i)) else $error("an access is added and another woken in one cycle");
    assert (!wake_i || (wakes_entering ? entering_q : stored) != '0)
      else $error("a task is woken that waits for nothing");
  end
`endif
endmodule
