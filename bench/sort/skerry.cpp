// SPDX-License-Identifier: Apache-2.0
#include "sort/sort.hpp"

#include <skerry/algorithm.hpp>

namespace bench::sort {

// A comparison of our own: with the default one, integral keys are sorted by their digits.
void by_comparison(std::vector<std::uint32_t>& keys) {
    skerry::parallel_sort(keys, [](std::uint32_t a, std::uint32_t b) { return a < b; });
}

void by_radix(std::vector<std::uint32_t>& keys) { skerry::parallel_sort(keys); }

} // namespace bench::sort
