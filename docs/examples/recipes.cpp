// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <ranges>
#include <vector>

#include <skerry/algorithm.hpp>

namespace {

bool tiles() {
    constexpr std::size_t n = 500;
    std::vector<float> in(n * n, 2.0F), out(n * n);
    // [tiles]
    // out = the transpose of in, by squares of 64 x 64 that fit into the cache; each has a buffer of its own.
    constexpr std::size_t side = 64;
    constexpr auto squares = static_cast<std::ptrdiff_t>((n + side - 1) / side);
    skerry::parallel_for(
        skerry::box<2>{{0, 0}, {squares, squares}},
        [&](std::ptrdiff_t down, std::ptrdiff_t right) {
            const std::size_t row = static_cast<std::size_t>(down) * side,
                              column = static_cast<std::size_t>(right) * side;
            std::vector<float> square(side * side); // set up once for each block
            const std::size_t rows = std::min(side, n - row), columns = std::min(side, n - column);
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < columns; ++j) square[j * side + i] = in[(row + i) * n + column + j];
            for (std::size_t j = 0; j < columns; ++j)
                for (std::size_t i = 0; i < rows; ++i) out[(column + j) * n + row + i] = square[j * side + i];
        },
        skerry::grain::fixed(1)); // each square is a task
    // [/tiles]
    return out[n - 1] == 2.0F;
}

bool over_indices() {
    // [iota]
    const double pi =
        4 * skerry::parallel_transform_reduce(std::views::iota(0, 1'000'000), 0.0, std::plus<>(),
                                              [](int i) { return (i % 2 == 0 ? 1.0 : -1.0) / (2 * i + 1); });
    // [/iota]
    return std::abs(pi - 3.14159) < 1e-4;
}

bool two_results() {
    std::vector<double> v{3, -1, 4, 1, -5};
    // [two]
    struct extent {
        double least = std::numeric_limits<double>::infinity();
        double most = -std::numeric_limits<double>::infinity();
    };
    const extent all = skerry::parallel_transform_reduce(
        v, extent{}, [](extent a, extent b) { return extent{std::min(a.least, b.least), std::max(a.most, b.most)}; },
        [](double x) { return extent{x, x}; });
    // [/two]
    return all.least == -5 && all.most == 4;
}

} // namespace

int main() { return tiles() && over_indices() && two_results() ? 0 : 1; }
