// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<bool>& v) {
    skerry::parallel_find_if(v.begin(), v.end(), [](std::vector<bool>::reference x) { return x = true; });
}
