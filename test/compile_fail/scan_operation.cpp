// SPDX-License-Identifier: Apache-2.0
// expect: op must be callable as op\(x, y\)
#include <skerry/algorithm.hpp>

#include <vector>

void f(std::vector<int>& v) {
    skerry::parallel_inclusive_scan(v, v.begin(), [](int) { return 1; });
}
