// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<bool>& v, std::vector<char>& out) {
    skerry::parallel_transform(out, v, out.begin(), [](char, std::vector<bool>::reference x) { return x = true; });
}
