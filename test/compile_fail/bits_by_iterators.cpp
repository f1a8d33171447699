// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <ranges>
#include <vector>

void f(std::vector<bool>& v) {
    skerry::parallel_for(std::views::iota(v.begin(), v.end()), [](auto it) { *it = true; });
}
