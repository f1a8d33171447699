// SPDX-License-Identifier: Apache-2.0
// expect: skerry: bits, as of std::vector<bool>, share words: f may only read them, as a bool or from a const range
#include <skerry/algorithm.hpp>

#include <ranges>
#include <tuple>
#include <vector>

void f(std::vector<bool>& v) {
    const auto at = [&v](std::size_t i) {
        return std::tuple(std::tuple<std::vector<bool>::reference, int>(v[i], 0), i);
    };
    skerry::parallel_for_each(std::views::iota(std::size_t{0}, v.size()) | std::views::transform(at),
                              [](auto x) { std::get<0>(std::get<0>(x)) = true; });
}
