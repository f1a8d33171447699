// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes a result of the Cilk programs right, without the code that computed it.

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::checks {

/// Ascending, and the same multiset as `input`.
verdict sorted(std::span<const std::uint32_t> input, std::span<const std::uint32_t> result);

/// (A - L U) x is no more than rounding for random x. `a` and `lu` are n x n, stored in blocks (see leaves.hpp), `lu`
/// holds both factors. Dense residuals would cost as much as the decomposition.
verdict lu(std::span<const double> a, std::span<const double> lu, std::size_t n);

/// C x = A (B x) for random x (Freivalds 1977). Row-major, `stride` elements from row to row.
verdict product(std::span<const double> a, std::span<const double> b, std::span<const double> c, std::size_t n,
                std::size_t stride);

/// The element that the transpose program starts with at (row, column) of an n x n matrix.
float transpose_element(std::uint64_t seed, std::size_t n, std::size_t row, std::size_t column);

/// Each element stands where it belongs.
verdict transposed(std::span<const float> result, std::uint64_t seed, std::size_t n);

/// Solutions of the n queens problem (OEIS A000170), n from 1 to 18; 0 for another n.
std::uint64_t known_queens(std::size_t n);
verdict queens(std::size_t n, std::uint64_t count);

} // namespace apps::checks
