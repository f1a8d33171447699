// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char
#include <skerry/algorithm.hpp>

#include <functional>
#include <vector>

void f(const std::vector<bool>& v, std::vector<bool>& out) {
    skerry::parallel_inclusive_scan(v, out.begin(), std::logical_or<bool>());
}
