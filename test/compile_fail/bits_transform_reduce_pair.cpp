// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <functional>
#include <vector>

void f(std::vector<bool>& v, const std::vector<int>& n) {
    skerry::parallel_transform_reduce(v, n, 0, std::plus<>(),
                                      [](std::vector<bool>::reference x, int y) { return (x = true) ? y : 0; });
}
