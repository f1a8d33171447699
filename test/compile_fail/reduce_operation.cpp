// SPDX-License-Identifier: Apache-2.0
// expect: op must be callable as op\(x, y\)
#include <skerry/algorithm.hpp>

#include <vector>

int f(std::vector<int>& v) {
    return skerry::parallel_reduce(v, 0, [](int) { return 0; });
}
