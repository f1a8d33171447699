// SPDX-License-Identifier: Apache-2.0
// expect: the comparison must be callable with two elements
#include <skerry/algorithm.hpp>

#include <vector>

struct thing {};
void f(std::vector<thing>& v) { skerry::parallel_stable_sort(v); }
