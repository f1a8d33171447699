// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words, and tasks that write them lose some: use char
#include <skerry/algorithm.hpp>

#include <functional>
#include <vector>

void f(std::vector<bool>& v) { skerry::parallel_stable_sort(v.begin(), v.end(), std::greater<>()); }
