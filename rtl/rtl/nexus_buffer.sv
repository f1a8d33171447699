// SPDX-License-Identifier: Apache-2.0
// The Task Buffer: gathers the words of one task, and merges accesses of one address into one of their strongest mode.
// A task enters the graph only when it is whole, so that nothing inside waits for the host in the middle of a task.
module nexus_buffer (
  input  logic         clk_i,
  input  logic         rst_ni,
  // Words of the New FIFO.
  input  logic         word_valid_i,
  // Only the assertions look at the bits that are reserved.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [63:0]  word_i,
  // verilator lint_on UNUSEDSIGNAL
  output logic         word_take_o,
  // A whole task.
  output logic         task_valid_o,
  input  logic         task_take_i,
  output logic [nexus_words::HeaderFunctionWidth-1:0] function_o,
  output logic [3:0]   count_o, // addresses, each once
  output logic [nexus_words::EntryAccesses*nexus_words::AccessAddressWidth-1:0] addresses_o,
  output logic [nexus_words::EntryAccesses-1:0] writes_o
);
  localparam int unsigned A = nexus_words::AccessAddressWidth;

  logic                           begun_q;
  logic [3:0]                     missing_q; // access words that are still to come
  logic [nexus_words::HeaderFunctionWidth-1:0] function_q;
  logic [3:0]                     count_q;
  logic [nexus_words::EntryAccesses*A-1:0]     addresses_q;
  logic [nexus_words::EntryAccesses-1:0]       writes_q;

  logic [A-1:0] address;
  logic         writes;
  logic [nexus_words::EntryAccesses-1:0] same; // the access that has this address already

  assign address = word_i[nexus_words::AccessAddressLsb +: A];
  assign writes = word_i[nexus_words::AccessModeLsb +: nexus_words::AccessModeWidth] != nexus_words::AccessModeIn;

  always_comb begin
    for (int unsigned i = 0; i < nexus_words::EntryAccesses; i++) begin
      same[i] = i < 32'(count_q) && addresses_q[i*A +: A] == address;
    end
  end

  assign task_valid_o = begun_q && missing_q == '0;
  assign word_take_o = word_valid_i && (!task_valid_o || task_take_i);
  assign function_o = function_q;
  assign count_o = count_q;
  assign addresses_o = addresses_q;
  assign writes_o = writes_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      missing_q <= '0;
      count_q <= '0;
    end else begin
      if (task_take_i) begun_q <= 1'b0;
      if (word_take_o) begin
        if (!begun_q || task_take_i) begin
          begun_q <= 1'b1;
          function_q <= word_i[nexus_words::HeaderFunctionLsb +: nexus_words::HeaderFunctionWidth];
          missing_q <= word_i[nexus_words::HeaderAccessesLsb +: 4];
          count_q <= '0;
        end else begin
          missing_q <= missing_q - 1'b1;
          if (same != '0) begin
            writes_q <= writes_q | (writes ? same : '0);
          end else begin
            addresses_q[count_q[2:0]*A +: A] <= address;
            writes_q[count_q[2:0]] <= writes;
            count_q <= count_q + 1'b1;
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  logic [31:0] accesses;
  assign accesses = 32'(word_i[nexus_words::HeaderAccessesLsb +: nexus_words::HeaderAccessesWidth]);
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!task_take_i || task_valid_o) else $error("a task is taken that is not whole");
    assert (!word_take_o || (begun_q && !task_take_i) || accesses <= nexus_words::EntryAccesses)
      else $error("a task has more accesses than an entry of the pool");
    assert (!word_take_o || word_i[63:60] == '0) else $error("a bit is set that is reserved");
  end
`endif
endmodule
