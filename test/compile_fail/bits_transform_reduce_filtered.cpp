// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <functional>
#include <ranges>
#include <vector>

void f(std::vector<bool>& v) {
    skerry::parallel_transform_reduce(v | std::views::filter([](bool x) { return x; }), 0, std::plus<>(),
                                      [](std::vector<bool>::reference x) { return x = false; });
}
