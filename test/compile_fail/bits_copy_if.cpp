// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char
#include <skerry/algorithm.hpp>

#include <vector>

void f(const std::vector<bool>& v, std::vector<bool>& out) {
    skerry::parallel_copy_if(v, out.begin(), [](bool x) { return x; });
}
