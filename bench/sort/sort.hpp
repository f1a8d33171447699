// SPDX-License-Identifier: Apache-2.0
// Ten million random 32-bit keys, sorted by comparison and, where the peer has it, by their digits.
#pragma once

#include <cstdint>
#include <vector>

namespace bench::sort {

void by_comparison(std::vector<std::uint32_t>& keys);
void by_radix(std::vector<std::uint32_t>& keys); // a peer without radix sort uses its fastest sort of keys

} // namespace bench::sort
