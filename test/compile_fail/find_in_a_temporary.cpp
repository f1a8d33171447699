// SPDX-License-Identifier: Apache-2.0
// expect: the range is a temporary
#include <skerry/algorithm.hpp>

#include <vector>

void f() {
    (void)skerry::parallel_find_if(std::vector<int>{1}, [](int) { return true; });
}
