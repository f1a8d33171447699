// SPDX-License-Identifier: Apache-2.0
// A tree whose every inner node has ten children, and whose leaves are numbered from 0: the sum of their numbers. A
// task for each node but the root; a leaf does nothing but return its number.
#pragma once

#include <cstdint>

namespace bench::skynet {

inline constexpr unsigned children = 10;

std::uint64_t by_loop(std::uint64_t leaves);  // a node is a parallel reduction over its children, grain 1
std::uint64_t by_group(std::uint64_t leaves); // a node is a group of tasks, one for each child but the last

} // namespace bench::skynet
