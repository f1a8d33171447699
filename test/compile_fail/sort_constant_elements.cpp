// SPDX-License-Identifier: Apache-2.0
// expect: the elements must be movable and not constant
#include <skerry/algorithm.hpp>

#include <vector>

void f(const std::vector<int>& v) { skerry::parallel_sort(v); }
