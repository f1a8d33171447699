// SPDX-License-Identifier: Apache-2.0
#pragma once

// How alike two images are: a Gaussian of their distance, exp(-gamma d) with gamma = ln 2 / 512 and d the sum of the
// squared differences of the pixels. d is a whole number, so the value is 2^(-d / 512), made of a table and a shift.
// Multiplication is all it takes, and IEEE 754 says what that gives: the same bits with every C library, compiler and
// machine, which exp() does not promise.

#include "digits/image.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace apps::digits {

/// A distance of so much halves the likeness.
inline constexpr unsigned half_distance = 512;

/// What is added to the diagonal of the matrix of likenesses: how much the classifier distrusts its examples.
inline constexpr double ridge = 0.0078125;

namespace detail {

// 2^(-j / 512): the product of the roots that the bits of j select.
inline constexpr auto fractions = [] {
    constexpr std::array roots{0x1.ff4eaca4391b6p-1, 0x1.fe9d96b2a23d9p-1, 0x1.fd3c22b8f71f1p-1,
                               0x1.fa7c1819e90d8p-1, 0x1.f50765b6e4540p-1, 0x1.ea4afa2a490dap-1,
                               0x1.d5818dcfba487p-1, 0x1.ae89f995ad3adp-1, 0x1.6a09e667f3bcdp-1};
    std::array<double, half_distance> table{1.0};
    for (std::size_t bit = 0; bit < roots.size(); ++bit) {
        const std::size_t begin = std::size_t{1} << bit;
        for (std::size_t j = 0; j < begin; ++j) {
            table[begin + j] = table[j] * roots[bit];
        }
    }
    return table;
}();

} // namespace detail

constexpr unsigned distance(const image& x, const image& y) noexcept {
    unsigned sum = 0;
    for (std::size_t i = 0; i < pixel_count; ++i) {
        const int difference = int{x.pixels[i]} - int{y.pixels[i]};
        sum += static_cast<unsigned>(difference * difference);
    }
    return sum;
}

/// 2^(-d / 512) to within ten units of the last place; d is at most 64 * 16 * 16.
constexpr double likeness(unsigned d) noexcept {
    constexpr std::uint64_t bias = 1023;
    constexpr unsigned exponent = 52;
    return detail::fractions[d % half_distance] * std::bit_cast<double>((bias - d / half_distance) << exponent);
}

} // namespace apps::digits
