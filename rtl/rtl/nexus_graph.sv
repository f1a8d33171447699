// SPDX-License-Identifier: Apache-2.0
// The task graph: takes new tasks in, takes finished tasks out, and gives out ready ones. Streams of words on the
// outside; inside, the memories of the task pool and the units that use them.
module nexus_graph #(
  parameter int unsigned PoolBits = 10,
  parameter int unsigned SetBits = 8,
  parameter int unsigned Ways = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        new_valid_i,
  input  logic [63:0] new_word_i,
  output logic        new_take_o,
  input  logic        finished_valid_i,
  input  logic [PoolBits-1:0] finished_id_i,
  output logic        finished_take_o,
  input  logic        ready_room_i,  // for a word more than ready_put_o puts
  output logic        ready_put_o,
  output logic [63:0] ready_word_o,
  output logic        entered_o,     // a task is in
  output logic        quiet_o,       // nothing moves, nor will unless a word comes or goes
  output logic        empty_o        // no task and no row is in use
);
  localparam int unsigned WayBits = Ways == 1 ? 1 : $clog2(Ways);
  localparam int unsigned RowBits = SetBits + WayBits; // where a row is

  // A whole task.
  logic task_valid, task_take;
  logic [nexus_words::HeaderFunctionWidth-1:0] task_function;
  logic [3:0] task_count;
  logic [nexus_words::EntryAccesses*nexus_words::AccessAddressWidth-1:0] task_addresses;
  logic [nexus_words::EntryAccesses-1:0] task_writes;

  // Entries of the pool.
  logic free_valid, give;
  logic [PoolBits-1:0] free_id, give_id;
  logic [PoolBits:0] in_use;

  // Operations of the table.
  logic insert_valid, insert_take, insert_empty, insert_last, insert_writes;
  logic [SetBits-1:0] insert_set;
  logic [nexus_words::AccessAddressWidth-1:0] insert_address;
  logic [2:0] insert_slot;
  logic entering, insert_moves, finish_moves;
  logic [PoolBits-1:0] entering_id;
  logic release_valid, release_take;
  logic op_valid, op_take;

  logic done, full, waits, last, done_empty, wake, freed, rows_idle;
  logic [PoolBits+2:0] done_slot;
  logic [SetBits-1:0] done_set;
  logic [WayBits-1:0] done_way;
  logic [PoolBits-1:0] wake_id;
  logic [SetBits+WayBits:0] rows_used;

  logic count_read, slot_read;
  logic [PoolBits-1:0] count_address;
  logic [PoolBits+2:0] slot_address;
  logic [3:0] count;
  logic [RowBits-1:0] slot_row;

  logic turn, issue, issue_q;
  logic [PoolBits-1:0] turn_id, issue_id, issue_id_q;
  logic [PoolBits:0] turns;
  logic [nexus_words::HeaderFunctionWidth-1:0] issue_function;

  nexus_buffer u_buffer (
    .clk_i, .rst_ni,
    .word_valid_i(new_valid_i), .word_i(new_word_i), .word_take_o(new_take_o),
    .task_valid_o(task_valid), .task_take_i(task_take), .function_o(task_function), .count_o(task_count),
    .addresses_o(task_addresses), .writes_o(task_writes)
  );

  nexus_free #(.PoolBits(PoolBits)) u_free (
    .clk_i, .rst_ni,
    .take_i(task_take), .valid_o(free_valid), .id_o(free_id),
    .give_i(give), .id_i(give_id), .in_use_o(in_use)
  );

  nexus_insert #(.PoolBits(PoolBits), .SetBits(SetBits)) u_insert (
    .clk_i, .rst_ni,
    .task_valid_i(task_valid), .task_take_o(task_take), .count_i(task_count), .addresses_i(task_addresses),
    .writes_i(task_writes),
    .free_valid_i(free_valid), .free_id_i(free_id),
    .op_valid_o(insert_valid), .op_take_i(insert_take), .op_empty_o(insert_empty), .op_last_o(insert_last),
    .op_set_o(insert_set), .op_address_o(insert_address), .op_writes_o(insert_writes), .op_slot_o(insert_slot),
    .done_i(done), .full_i(full), .last_i(last), .slot_i(done_slot[2:0]), .freed_i(freed),
    .active_o(entering), .id_o(entering_id), .moves_o(insert_moves)
  );

  nexus_finish #(.PoolBits(PoolBits)) u_finish (
    .clk_i, .rst_ni,
    .id_valid_i(finished_valid_i), .id_i(finished_id_i), .id_take_o(finished_take_o),
    .count_read_o(count_read), .count_address_o(count_address), .count_i(count),
    .slot_read_o(slot_read), .slot_address_o(slot_address),
    .op_valid_o(release_valid), .op_take_i(release_take),
    .give_o(give), .give_id_o(give_id), .moves_o(finish_moves)
  );

  // Ends come first: they make the room that new tasks wait for.
  assign op_valid = release_valid || insert_valid;
  assign release_take = op_take && release_valid;
  assign insert_take = op_take && !release_valid;

  nexus_rows #(.PoolBits(PoolBits), .SetBits(SetBits), .Ways(Ways), .WayBits(WayBits)) u_rows (
    .clk_i, .rst_ni,
    .op_valid_i(op_valid), .op_take_o(op_take), .op_insert_i(!release_valid), .op_empty_i(insert_empty),
    .op_last_i(insert_last), .op_set_i(release_valid ? slot_row[SetBits-1:0] : insert_set),
    .op_way_i(slot_row[RowBits-1:SetBits]), .op_address_i(insert_address), .op_writes_i(insert_writes),
    .op_slot_i({entering_id, insert_slot}),
    .done_o(done), .full_o(full), .waits_o(waits), .last_o(last), .slot_o(done_slot), .set_o(done_set),
    .way_o(done_way), .empty_o(done_empty),
    .wake_o(wake), .wake_id_o(wake_id), .freed_o(freed), .idle_o(rows_idle), .used_o(rows_used)
  );

  nexus_counts #(.PoolBits(PoolBits)) u_counts (
    .clk_i, .rst_ni,
    .add_i(done && !full), .add_waits_i(waits), .add_last_i(last), .add_id_i(done_slot[PoolBits+2:3]),
    .entering_i(entering), .entering_id_i(entering_id),
    .wake_i(wake), .wake_id_i(wake_id),
    .ready_o(turn), .ready_id_o(turn_id)
  );

  // The Task Pool: what a task is, how many accesses it has, and where the row of each is.
  nexus_ram #(.Width(nexus_words::HeaderFunctionWidth), .AddressBits(PoolBits)) u_functions (
    .clk_i,
    .write_i(task_take), .write_address_i(free_id), .write_data_i(task_function),
    .read_i(issue), .read_address_i(issue_id), .read_data_o(issue_function)
  );
  nexus_ram #(.Width(4), .AddressBits(PoolBits)) u_access_counts (
    .clk_i,
    .write_i(task_take), .write_address_i(free_id), .write_data_i(task_count),
    .read_i(count_read), .read_address_i(count_address), .read_data_o(count)
  );
  nexus_ram #(.Width(RowBits), .AddressBits(PoolBits + 3)) u_slots (
    .clk_i,
    .write_i(done && !full && !done_empty), .write_address_i(done_slot), .write_data_i({done_way, done_set}),
    .read_i(slot_read), .read_address_i(slot_address), .read_data_o(slot_row)
  );

  // Ready tasks. The queue is as deep as the pool, so that no end ever waits for a reader of ready words.
  nexus_fifo #(.Width(PoolBits), .DepthBits(PoolBits)) u_turns (
    .clk_i, .rst_ni,
    .push_i(turn), .data_i(turn_id),
    .pop_i(issue), .data_o(issue_id), .occupancy_o(turns)
  );
  assign issue = turns != '0 && ready_room_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) issue_q <= 1'b0;
    else issue_q <= issue;
    issue_id_q <= issue_id;
  end
  assign ready_put_o = issue_q;
  assign ready_word_o = {nexus_words::ReadyIdWidth'(issue_id_q), issue_function};

  assign entered_o = done && !full && last;
  assign quiet_o = rows_idle && !insert_moves && !finish_moves && !new_take_o && !issue && !issue_q;
  assign empty_o = in_use == '0 && rows_used == '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (in_use != '0 || rows_used == '0 || !quiet_o) else $error("no task is inside, and the table has a row");
    assert (32'(turns) <= 32'(in_use)) else $error("more tasks are ready than there are");
  end
`endif
endmodule
