// SPDX-License-Identifier: Apache-2.0
// Numbers of free entries of the task pool: at first those that were never used, then those given back, oldest first.
module nexus_free #(
  parameter int unsigned PoolBits = 10
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                take_i,
  output logic                valid_o,
  output logic [PoolBits-1:0] id_o,
  input  logic                give_i,
  input  logic [PoolBits-1:0] id_i,
  output logic [PoolBits:0]   in_use_o
);
  logic [PoolBits:0]   unused_q; // the first number that was never used
  logic [PoolBits:0]   given_back;
  logic [PoolBits-1:0] oldest;
  logic                some_unused;

  assign some_unused = !unused_q[PoolBits];
  assign valid_o = some_unused || given_back != '0;
  assign id_o = some_unused ? unused_q[PoolBits-1:0] : oldest;
  assign in_use_o = unused_q - given_back;

  nexus_fifo #(.Width(PoolBits), .DepthBits(PoolBits)) u_given_back (
    .clk_i, .rst_ni,
    .push_i(give_i), .data_i(id_i),
    .pop_i(take_i && !some_unused), .data_o(oldest), .occupancy_o(given_back)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) unused_q <= '0;
    else if (take_i && some_unused) unused_q <= unused_q + 1'b1;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!take_i || valid_o) else $error("an entry is taken, and none is free");
    assert (!give_i || in_use_o != '0) else $error("an entry is given back, and none is in use");
  end
`endif
endmodule
