// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<std::vector<bool>::iterator>& some) {
    skerry::parallel_for_each(some, [](std::vector<bool>::iterator it) { *it = true; });
}
