// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<std::vector<bool>::reference>& some) {
    skerry::parallel_for_each(some, [](auto& x) { x = true; });
}
