// SPDX-License-Identifier: Apache-2.0
#pragma once

// The serial leaves of the tiled solver, compiled once for both variants.
//
// Matrices stand column by column: element (i, j) is at data[j * stride + i]. Every element sees its operations in one
// order, that of the plain loops (k ascending; descending in the backward solve), each product rounded before it is
// subtracted. So neither the vectors' length nor the tiles' size changes a bit of the result, and tests compare with
// the plain loops for equality. The build switches contraction to fused operations off for these files.
//
// Rows and columns are multiples of leaf_step.

#include "digits/image.hpp"

#include <cstddef>
#include <span>

namespace apps::digits {

inline constexpr std::size_t leaf_step = 4;

struct block {
    double* data;
    std::ptrdiff_t stride;
};

/// What is read by scalars: element (j, k) is at data[j * row + k * column].
struct scattered {
    const double* data;
    std::ptrdiff_t row;
    std::ptrdiff_t column;
};

/// C -= A B^T, where C is rows x columns, A is rows x depth and B is columns x depth. A's stride may be negative: then
/// it begins at its last column.
void subtract_product(block c, const double* a, std::ptrdiff_t a_stride, scattered b, std::size_t rows,
                      std::size_t columns, std::size_t depth);

/// The lower triangle of A := L with L L^T = A; what stands above the diagonal is not defined afterwards. Throws
/// std::domain_error if A is not positive definite.
void factor(block a, std::size_t n);

/// X := X L^-T, where X is rows x n.
void solve_transposed(block x, const double* l, std::ptrdiff_t l_stride, std::size_t rows, std::size_t n);

/// X := X L^-1, where X is rows x n.
void solve_plain(block x, const double* l, std::ptrdiff_t l_stride, std::size_t rows, std::size_t n);

/// to[i] := the likeness of images[i] and `other` (kernel.hpp).
void likenesses(std::span<const image> images, const image& other, double* to);

} // namespace apps::digits
