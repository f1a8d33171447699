// SPDX-License-Identifier: Apache-2.0
// The product of two square matrices by quadrants, down to blocks: four products of quadrants at the same time, then
// the four that are added to the same quadrants of the result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench::matmul {

using element = std::uint32_t; // sums wrap, and stay exact in any order

/// At most so many rows are multiplied by loops.
inline constexpr std::size_t block_rows = 32;

/// A square part of a matrix of rows, each of which begins `pitch` elements behind the one before.
template <class Element>
struct part {
    Element* begin;
    std::size_t pitch;

    /// Of an n x n part, the quadrant in this half of the rows and this half of the columns.
    part quadrant(std::size_t n, std::size_t lower, std::size_t right) const {
        return {begin + (lower * pitch + right) * (n / 2), pitch};
    }
};
using input = part<const element>;
using output = part<element>;

/// c += a * b, by loops
inline void multiply_block(input a, input b, output c, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const element factor = a.begin[i * a.pitch + k];
            for (std::size_t j = 0; j < n; ++j) {
                c.begin[i * c.pitch + j] += factor * b.begin[k * b.pitch + j];
            }
        }
    }
}

/// c += a * b, for n x n matrices; n is a power of two.
void multiply(input a, input b, output c, std::size_t n);

} // namespace bench::matmul
