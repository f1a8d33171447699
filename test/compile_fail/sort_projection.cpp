// SPDX-License-Identifier: Apache-2.0
// expect: the projection must be callable with an element
#include <skerry/algorithm.hpp>

#include <functional>
#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_sort(v, std::less<>{}, [](const char*) { return 1; });
}
