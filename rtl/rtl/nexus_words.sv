// SPDX-License-Identifier: Apache-2.0
// Written by tools/generate from spec/nexus.toml; change that file.
// Each field of a word has its lowest bit (Lsb) and its number of bits (Width).
// A package has what some of its users need, and others do not.
// verilator lint_off UNUSEDPARAM
package nexus_words;

  // Header: the first word of a task; its access words follow, so that a task with n accesses is n + 1 words.
  localparam int unsigned HeaderFunctionLsb = 0;
  localparam int unsigned HeaderFunctionWidth = 48;
  localparam int unsigned HeaderAccessesLsb = 48;
  localparam int unsigned HeaderAccessesWidth = 12;
  localparam int unsigned HeaderTaskwaitOnLsb = 60;
  localparam int unsigned HeaderTaskwaitOnWidth = 1;

  // Access: one access of a task.
  localparam int unsigned AccessAddressLsb = 0;
  localparam int unsigned AccessAddressWidth = 48;
  localparam int unsigned AccessModeLsb = 48;
  localparam int unsigned AccessModeWidth = 2;
  localparam bit [1:0] AccessModeIn = 1;
  localparam bit [1:0] AccessModeOut = 2;
  localparam bit [1:0] AccessModeInout = 3;

  // Ready: a task whose turn has come.
  localparam int unsigned ReadyFunctionLsb = 0;
  localparam int unsigned ReadyFunctionWidth = 48;
  localparam int unsigned ReadyIdLsb = 48;
  localparam int unsigned ReadyIdWidth = 16;

  // Finished: a task has ended.
  localparam int unsigned FinishedIdLsb = 0;
  localparam int unsigned FinishedIdWidth = 16;

  // Status: the state of a FIFO.
  localparam int unsigned StatusOccupancyLsb = 0;
  localparam int unsigned StatusOccupancyWidth = 16;
  localparam int unsigned StatusDepthLsb = 16;
  localparam int unsigned StatusDepthWidth = 16;
  localparam int unsigned StatusQuietLsb = 63;
  localparam int unsigned StatusQuietWidth = 1;

  // Shape: the sizes of this manager, which decide what can never fit.
  localparam int unsigned ShapePoolLsb = 0;
  localparam int unsigned ShapePoolWidth = 16;
  localparam int unsigned ShapeSetsLsb = 16;
  localparam int unsigned ShapeSetsWidth = 16;
  localparam int unsigned ShapeWaysLsb = 32;
  localparam int unsigned ShapeWaysWidth = 8;
  localparam int unsigned ShapeAccessesLsb = 40;
  localparam int unsigned ShapeAccessesWidth = 12;

  // Number: a count.
  localparam int unsigned NumberCountLsb = 0;
  localparam int unsigned NumberCountWidth = 64;

  // Registers, by their offset in bytes.
  localparam bit [7:0] RegisterNewTask = 8'h00;
  localparam bit [7:0] RegisterNewStatus = 8'h08;
  localparam bit [7:0] RegisterReadyTask = 8'h10;
  localparam bit [7:0] RegisterReadyStatus = 8'h18;
  localparam bit [7:0] RegisterFinishedTask = 8'h20;
  localparam bit [7:0] RegisterFinishedStatus = 8'h28;
  localparam bit [7:0] RegisterShape = 8'h30;
  localparam bit [7:0] RegisterTasks = 8'h38;

  // Table I of the paper.
  localparam int unsigned PoolEntries = 1024;
  localparam int unsigned EntryAccesses = 8;
  localparam int unsigned TableSets = 256;
  localparam int unsigned TableWays = 8;
endpackage
// verilator lint_on UNUSEDPARAM
