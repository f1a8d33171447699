// SPDX-License-Identifier: Apache-2.0
// The task manager as its host sees it: the registers of spec/nexus.toml over three FIFOs and the task graph. A write,
// or a read of the register ready_task, takes the cycle in which write_i or read_i is set; the other registers are
// read by their address alone.
module nexus #(
  parameter int unsigned PoolBits = 10,
  parameter int unsigned SetBits = 8,
  parameter int unsigned Ways = 8,
  parameter int unsigned NewBits = 6, // each FIFO has 2 ** so many words
  parameter int unsigned ReadyBits = 6,
  parameter int unsigned FinishedBits = 6
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        write_i,
  input  logic        read_i,
  input  logic [7:0]  address_i,
  input  logic [63:0] data_i,
  output logic [63:0] data_o,
  output logic        quiet_o,
  output logic        empty_o
);
  logic        new_put, new_take, ready_put, ready_take, finished_put, finished_take, entered, quiet, graph_empty;
  logic [63:0] new_word, ready_word, ready_first;
  logic [PoolBits-1:0] finished_id;
  logic [NewBits:0] new_occupancy;
  logic [ReadyBits:0] ready_occupancy;
  logic [FinishedBits:0] finished_occupancy;
  logic [63:0] tasks_q;

  assign new_put = write_i && address_i == nexus_words::RegisterNewTask;
  assign finished_put = write_i && address_i == nexus_words::RegisterFinishedTask;
  assign ready_take = read_i && address_i == nexus_words::RegisterReadyTask;

  nexus_fifo #(.Width(64), .DepthBits(NewBits)) u_new (
    .clk_i, .rst_ni,
    .push_i(new_put), .data_i, .pop_i(new_take), .data_o(new_word), .occupancy_o(new_occupancy)
  );
  nexus_fifo #(.Width(64), .DepthBits(ReadyBits)) u_ready (
    .clk_i, .rst_ni,
    .push_i(ready_put), .data_i(ready_word), .pop_i(ready_take), .data_o(ready_first), .occupancy_o(ready_occupancy)
  );
  nexus_fifo #(.Width(PoolBits), .DepthBits(FinishedBits)) u_finished (
    .clk_i, .rst_ni,
    .push_i(finished_put), .data_i(data_i[nexus_words::FinishedIdLsb +: PoolBits]),
    .pop_i(finished_take), .data_o(finished_id), .occupancy_o(finished_occupancy)
  );

  nexus_graph #(.PoolBits(PoolBits), .SetBits(SetBits), .Ways(Ways)) u_graph (
    .clk_i, .rst_ni,
    .new_valid_i(new_occupancy != '0), .new_word_i(new_word), .new_take_o(new_take),
    .finished_valid_i(finished_occupancy != '0), .finished_id_i(finished_id), .finished_take_o(finished_take),
    .ready_room_i(32'(ready_occupancy) + 32'(ready_put) < 2 ** ReadyBits), .ready_put_o(ready_put),
    .ready_word_o(ready_word),
    .entered_o(entered), .quiet_o(quiet), .empty_o(graph_empty)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) tasks_q <= '0;
    else if (entered) tasks_q <= tasks_q + 1'b1;
  end

  assign quiet_o = quiet;
  assign empty_o = graph_empty && new_occupancy == '0 && ready_occupancy == '0 && finished_occupancy == '0;

  function automatic logic [63:0] status(input logic [15:0] occupancy, input logic [15:0] depth, input logic is_quiet);
    status = '0;
    status[nexus_words::StatusOccupancyLsb +: nexus_words::StatusOccupancyWidth] = occupancy;
    status[nexus_words::StatusDepthLsb +: nexus_words::StatusDepthWidth] = depth;
    status[nexus_words::StatusQuietLsb] = is_quiet;
  endfunction

  always_comb begin
    data_o = '0;
    case (address_i)
      nexus_words::RegisterNewStatus: data_o = status(16'(new_occupancy), 16'(2 ** NewBits), quiet);
      nexus_words::RegisterReadyTask: data_o = ready_first;
      nexus_words::RegisterReadyStatus: data_o = status(16'(ready_occupancy), 16'(2 ** ReadyBits), quiet);
      nexus_words::RegisterFinishedStatus: data_o = status(16'(finished_occupancy), 16'(2 ** FinishedBits), quiet);
      nexus_words::RegisterShape: begin
        data_o[nexus_words::ShapePoolLsb +: nexus_words::ShapePoolWidth] = 16'(2 ** PoolBits);
        data_o[nexus_words::ShapeSetsLsb +: nexus_words::ShapeSetsWidth] = 16'(2 ** SetBits);
        data_o[nexus_words::ShapeWaysLsb +: nexus_words::ShapeWaysWidth] = 8'(Ways);
        data_o[nexus_words::ShapeAccessesLsb +: nexus_words::ShapeAccessesWidth] = 12'(nexus_words::EntryAccesses);
      end
      nexus_words::RegisterTasks: data_o = tasks_q;
      default: ;
    endcase
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!write_i || new_put || finished_put) else $error("a register is written that can only be read");
    assert (!read_i || ready_take) else $error("a register is taken from that is no FIFO");
  end
`endif
endmodule
