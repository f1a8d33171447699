// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<bool>& v) { skerry::parallel_sort(v); }
