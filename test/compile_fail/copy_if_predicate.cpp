// SPDX-License-Identifier: Apache-2.0
// expect: the predicate must be callable with an element and give a bool
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_copy_if(v, v.begin(), [](const char*) { return true; });
}
