// SPDX-License-Identifier: Apache-2.0
// expect: the predicate must be callable with an element and give a bool
#include <skerry/algorithm.hpp>

#include <string>
#include <vector>

void f(std::vector<int>& v) {
    (void)skerry::parallel_find_if(v, [](int) { return std::string{}; });
}
