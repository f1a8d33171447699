// SPDX-License-Identifier: Apache-2.0
// expect: the comparison must be callable with two elements
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_sort(v, [](int) { return true; });
}
