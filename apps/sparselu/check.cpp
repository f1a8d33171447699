// SPDX-License-Identifier: Apache-2.0
#include "sparselu/check.hpp"

#include "support/random.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace apps::sparselu {

namespace {

using numbers = std::vector<double>;

/// y += the part of the block that `takes` chooses, times x.
template <class Takes>
void add_product(std::span<const double> block, std::size_t side, const double* x, double* y, Takes takes) {
    for (std::size_t row = 0; row < side; ++row) {
        for (std::size_t column = 0; column < side; ++column) {
            if (takes(row, column)) y[row] += block[row * side + column] * x[column];
        }
    }
}

} // namespace

verdict product(const matrix& a, const factors& found) {
    constexpr double allowed = 1e-10;
    const std::size_t n = a.blocks() * a.side();
    const std::size_t side = a.side();
    const auto all = [](std::size_t, std::size_t) { return true; };
    const auto upper = [](std::size_t row, std::size_t column) { return column >= row; };
    const auto lower = [](std::size_t row, std::size_t column) { return column < row; };
    double largest = 0.0;
    for (const std::uint64_t seed : {7U, 8U}) {
        numbers x(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = (i % 3 == 0 ? -1.0 : 1.0) * (1.5 + 0.5 * random_real_at(seed, i));
        numbers expected(n, 0.0);
        numbers size(n, 0.0); // of what is summed up
        numbers ux(n, 0.0);
        numbers block(side * side);
        for (std::size_t i = 0; i < a.blocks(); ++i) {
            for (std::size_t j = 0; j < a.blocks(); ++j) {
                if (a.has(i, j)) {
                    a.fill(i, j, block);
                    add_product(block, side, &x[j * side], &expected[i * side], all);
                    for (double& v : block) v = std::fabs(v);
                    add_product(block, side, numbers(side, 2.0).data(), &size[i * side], all);
                }
                if (const std::span<const double> u = found(i, j); j >= i && !u.empty()) {
                    i == j ? add_product(u, side, &x[j * side], &ux[i * side], upper)
                           : add_product(u, side, &x[j * side], &ux[i * side], all);
                }
            }
        }
        numbers lux(ux);
        for (std::size_t i = 0; i < a.blocks(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                if (const std::span<const double> l = found(i, j); !l.empty()) {
                    i == j ? add_product(l, side, &ux[j * side], &lux[i * side], lower)
                           : add_product(l, side, &ux[j * side], &lux[i * side], all);
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double off = std::fabs(lux[i] - expected[i]) / size[i];
            if (!(off <= allowed)) {
                return {false, "row " + std::to_string(i) + " of L U x is not that of A x"};
            }
            largest = std::fmax(largest, off);
        }
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "L U x is A x to %.0e", largest);
    return {true, text.data()};
}

} // namespace apps::sparselu
