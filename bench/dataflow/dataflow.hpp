// SPDX-License-Identifier: Apache-2.0
// Tasks that do next to nothing and declare what they touch: the cost of the order, and of nothing else.
#pragma once

#include <cstdint>
#include <span>

namespace bench::dataflow {

/// A task adds one to `sum`, `tasks` times: each waits for the one before it.
void chain(std::uint64_t tasks, std::uint64_t& sum);

/// A task for each cell writes the cell's index plus one into it: none waits for another.
void independent(std::span<std::uint64_t> cells);

} // namespace bench::dataflow
