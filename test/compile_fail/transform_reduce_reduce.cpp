// SPDX-License-Identifier: Apache-2.0
// expect: reduce must be callable as reduce\(x, y\)
#include <skerry/algorithm.hpp>

#include <vector>

int f(std::vector<int>& v) {
    return skerry::parallel_transform_reduce(v, 0, 7, [](int x) { return x; });
}
