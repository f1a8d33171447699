// SPDX-License-Identifier: Apache-2.0
#pragma once

// Source lines of the running program's own code.

#include <cstdint>
#include <string>
#include <vector>

namespace skerry_sim::detail {

// "file:line (function)" for each return address, of which the low 32 bits are given; what is known of it if the
// program has no debug information. 0 is "the simulation's start".
std::vector<std::string> source_lines(const std::vector<std::uint32_t>& return_addresses);

} // namespace skerry_sim::detail
