// SPDX-License-Identifier: Apache-2.0
// The Dependence Table with its Kick-Off Lists. A row is an address: who accesses it now, and the first and the last
// access that wait for it. Accesses that wait are linked through the slots of their tasks in the pool, so a list has no
// limit of its own and needs no memory of its own.
//
// One operation enters a cycle (read its set) and is done in the next (write its row):
//   insert    finds the row of the address, or makes one; the access is active at once or joins the list
//   release   ends an active access; if it was the last one, it begins the next that writes, or all next that read,
//             one a cycle ("walk"); a row that nobody needs is freed
// An operation on the set that is being written waits a cycle, so what is read is never old.
module nexus_rows #(
  parameter int unsigned PoolBits = 10,
  parameter int unsigned SetBits = 8,
  parameter int unsigned Ways = 8,
  parameter int unsigned WayBits = 3
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // An operation.
  input  logic                op_valid_i,
  output logic                op_take_o,
  input  logic                op_insert_i,
  input  logic                op_empty_i, // insert: a task without an access
  input  logic                op_last_i,  // insert: the last access of its task
  input  logic [SetBits-1:0]  op_set_i,
  input  logic [WayBits-1:0]  op_way_i,   // release
  input  logic [nexus_words::AccessAddressWidth-1:0] op_address_i, // insert
  input  logic                op_writes_i,            // insert
  input  logic [PoolBits+2:0] op_slot_i,              // insert: its place in the pool
  // What has come of an insert, a cycle later.
  output logic                done_o,
  output logic                full_o,  // there is no room in the set: nothing has changed
  output logic                waits_o,
  output logic                last_o,
  output logic [PoolBits+2:0] slot_o,
  output logic [SetBits-1:0]  set_o,
  output logic [WayBits-1:0]  way_o,
  output logic                empty_o,
  // An access that has waited is active now.
  output logic                wake_o,
  output logic [PoolBits-1:0] wake_id_o,
  output logic                freed_o, // a row is free again
  output logic                idle_o,
  output logic [SetBits+WayBits:0] used_o // rows in use
);
  localparam int unsigned A = nexus_words::AccessAddressWidth;
  localparam int unsigned SlotBits = PoolBits + 3;
  // A row, from bit 0.
  localparam int unsigned Valid = 0;
  localparam int unsigned Writer = Valid + 1;             // an active access writes
  localparam int unsigned Readers = Writer + 1;           // active accesses that read: a number
  localparam int unsigned Waiting = Readers + PoolBits + 1; // there is a list
  localparam int unsigned FirstWrites = Waiting + 1;
  localparam int unsigned First = FirstWrites + 1;
  localparam int unsigned Last = First + SlotBits;
  localparam int unsigned Address = Last + SlotBits;
  localparam int unsigned RowBits = Address + A;

  // The operation that was taken in the cycle before, or that walks.
  logic                x_valid_q, x_insert_q, x_empty_q, x_last_q, x_writes_q, walk_q;
  logic [SetBits-1:0]  x_set_q;
  logic [WayBits-1:0]  x_way_q;
  logic [A-1:0]        x_address_q;
  logic [SlotBits-1:0] x_slot_q;
  logic [RowBits-1:0]  walk_row_q;

  logic [SetBits:0]    clear_q; // sets that are cleared after reset
  logic                clearing;

  logic [Ways*RowBits-1:0] rows; // of the set that was read
  logic                    read;
  logic [Ways-1:0]         write;
  logic [SetBits-1:0]      write_set;
  logic [RowBits-1:0]      new_row;

  logic                link_write, link_read;
  logic [SlotBits-1:0] link_write_at, link_read_at;
  logic [SlotBits:0]   link_write_data, link; // {it writes, its slot}

  for (genvar w = 0; w < Ways; w++) begin : g_way
    nexus_ram #(.Width(RowBits), .AddressBits(SetBits)) u_rows (
      .clk_i,
      .write_i(write[w]), .write_address_i(write_set), .write_data_i(new_row),
      .read_i(read), .read_address_i(op_set_i), .read_data_o(rows[w*RowBits +: RowBits])
    );
  end

  nexus_ram #(.Width(SlotBits + 1), .AddressBits(SlotBits)) u_links (
    .clk_i,
    .write_i(link_write), .write_address_i(link_write_at), .write_data_i(link_write_data),
    .read_i(link_read), .read_address_i(link_read_at), .read_data_o(link)
  );

  // Where the address is, or could be.
  logic [Ways-1:0]    hits, vacant;
  logic [WayBits-1:0] hit_way, vacant_way, way;
  always_comb begin
    hit_way = '0;
    vacant_way = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      hits[w] = rows[w*RowBits + Valid] && rows[w*RowBits + Address +: A] == x_address_q;
      vacant[w] = !rows[w*RowBits + Valid];
      if (hits[w]) hit_way = WayBits'(w);
      if (vacant[w]) vacant_way = WayBits'(w);
    end
    way = !x_insert_q ? x_way_q : hits != '0 ? hit_way : vacant_way;
  end

  // The operation.
  logic               insert, release_, full, waits, walks, walk_more;
  logic [RowBits-1:0] row;
  logic [PoolBits:0]  readers;
  assign insert = x_valid_q && x_insert_q && !x_empty_q;
  assign release_ = x_valid_q && !x_insert_q && !walk_q;
  assign full = insert && hits == '0 && vacant == '0;
  assign row = walk_q ? walk_row_q : rows[32'(way)*RowBits +: RowBits];
  assign readers = row[Readers +: PoolBits+1];

  always_comb begin
    new_row = row;
    waits = 1'b0;
    walks = 1'b0;
    walk_more = 1'b0;
    link_write = 1'b0;
    link_read = 1'b0;
    link_read_at = row[First +: SlotBits];
    freed_o = 1'b0;
    if (clearing) begin
      new_row = '0;
    end else if (insert) begin
      if (hits == '0) begin
        new_row = '0;
        new_row[Valid] = 1'b1;
        new_row[Address +: A] = x_address_q;
        new_row[Writer] = x_writes_q;
        new_row[Readers] = !x_writes_q;
      end else if (!x_writes_q && !row[Writer] && !row[Waiting]) begin
        new_row[Readers +: PoolBits+1] = readers + 1'b1;
      end else begin
        waits = 1'b1;
        new_row[Waiting] = 1'b1;
        new_row[Last +: SlotBits] = x_slot_q;
        if (row[Waiting]) begin
          link_write = 1'b1;
        end else begin
          new_row[First +: SlotBits] = x_slot_q;
          new_row[FirstWrites] = x_writes_q;
        end
      end
    end else if (release_) begin
      if (row[Writer]) new_row[Writer] = 1'b0;
      else new_row[Readers +: PoolBits+1] = readers - 1'b1;
      if (row[Writer] || readers == 1) begin
        walks = row[Waiting];
        link_read = row[Waiting];
        freed_o = !row[Waiting];
        new_row[Valid] = row[Waiting];
      end
    end else if (walk_q) begin
      if (row[FirstWrites]) new_row[Writer] = 1'b1;
      else new_row[Readers +: PoolBits+1] = readers + 1'b1;
      if (row[First +: SlotBits] == row[Last +: SlotBits]) begin
        new_row[Waiting] = 1'b0;
      end else begin
        new_row[First +: SlotBits] = link[SlotBits-1:0];
        new_row[FirstWrites] = link[SlotBits];
        walk_more = !row[FirstWrites] && !link[SlotBits];
        link_read = walk_more;
        link_read_at = link[SlotBits-1:0];
      end
    end
  end

  assign link_write_at = row[Last +: SlotBits];
  assign link_write_data = {x_writes_q, x_slot_q};
  assign write_set = clearing ? clear_q[SetBits-1:0] : x_set_q;
  always_comb begin
    write = '0;
    if (clearing) write = '1;
    else if ((insert && !full) || (release_ && !walks) || (walk_q && !walk_more)) write[way] = 1'b1;
  end

  // The next operation.
  logic x_ends;
  assign x_ends = !x_valid_q || !(walks || walk_more);
  assign op_take_o = op_valid_i && !clearing && x_ends && (!x_valid_q || x_empty_q || op_set_i != x_set_q);
  assign read = op_take_o;

  assign done_o = x_valid_q && x_insert_q;
  assign full_o = full;
  assign waits_o = waits;
  assign last_o = x_last_q;
  assign slot_o = x_slot_q;
  assign set_o = x_set_q;
  assign way_o = way;
  assign empty_o = x_empty_q;
  assign wake_o = walk_q;
  assign wake_id_o = walk_row_q[First+3 +: PoolBits];
  assign clearing = !clear_q[SetBits];
  assign idle_o = !clearing && !x_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clear_q <= '0;
      x_valid_q <= 1'b0;
      walk_q <= 1'b0;
    end else begin
      if (clearing) clear_q <= clear_q + 1'b1;
      if (x_ends) begin
        x_valid_q <= op_take_o;
        walk_q <= 1'b0;
      end else begin
        walk_q <= 1'b1;
      end
    end
    if (op_take_o) begin
      x_insert_q <= op_insert_i;
      x_empty_q <= op_insert_i && op_empty_i;
      x_last_q <= op_last_i;
      x_set_q <= op_set_i;
      x_way_q <= op_way_i;
      x_address_q <= op_address_i;
      x_writes_q <= op_writes_i;
      x_slot_q <= op_slot_i;
    end
    walk_row_q <= new_row;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) used_o <= '0;
    else if (freed_o) used_o <= used_o - 1'b1;
    else if (insert && hits == '0 && !full) used_o <= used_o + 1'b1;
  end

`ifndef SYNTHESIS
  logic [Ways-1:0] others;
  assign others = hits & (hits - 1'b1);
  always_ff @(posedge clk_i) if (rst_ni && !clearing) begin
    assert (!insert || others == '0) else $error("an address has two rows");
    assert (!release_ || (row[Valid] && (row[Writer] || readers != '0)))
      else $error("an access is released that is not active");
    assert (write == '0 || !new_row[Valid] || !new_row[Writer] || new_row[Readers +: PoolBits+1] == '0)
      else $error("an address is read while it is written");
    assert (write == '0 || !new_row[Waiting] || new_row[Writer] || new_row[Readers +: PoolBits+1] != '0)
      else $error("nobody accesses an address, and somebody waits for it");
    assert (!walk_q || walk_row_q[Waiting]) else $error("the list of an address that nobody waits for is walked");
  end
`endif
endmodule
