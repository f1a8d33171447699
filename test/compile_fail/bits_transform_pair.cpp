// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char
#include <skerry/algorithm.hpp>

#include <iterator>
#include <vector>

void f(const std::vector<int>& v, std::vector<bool>& out) {
    skerry::parallel_transform(v, v, std::make_reverse_iterator(out.end()), [](int x, int y) { return x < y; });
}
