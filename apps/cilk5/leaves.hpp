// SPDX-License-Identifier: Apache-2.0
#pragma once

// The serial leaves of the Cilk programs. They are compiled once, so both variants of a program run the same machine
// code below the granularity and a speed-up is the scheduler's alone.

#include <cstddef>
#include <cstdint>

namespace apps::leaves {

using key = std::uint32_t;

/// Merges two sorted runs into `out`, which overlaps neither. Branch-free: keys in random order cost no mispredictions.
void merge(const key* a, std::size_t a_size, const key* b, std::size_t b_size, key* out);

/// Sorts `data[0, size)`; `scratch` has room for `size` keys and its content is lost.
void sort(key* data, key* scratch, std::size_t size);

/// A view of a row-major matrix: element (i, j) is at `data[i * stride + j]`.
struct tile {
    double* data;
    std::size_t stride;
};
struct const_tile {
    const double* data;
    std::size_t stride;
};

/// C += A B, where C is rows x columns and A is rows x depth.
void multiply_add(tile c, const_tile a, const_tile b, std::size_t rows, std::size_t columns, std::size_t depth);

/// Blocks of the LU program: contiguous, row-major.
inline constexpr std::size_t block_side = 16;
inline constexpr std::size_t block_size = block_side * block_side;

void block_lu(double* m);                                          ///< M := (L \ U), L with a unit diagonal
void block_lower_solve(double* m, const double* l);                ///< M := inverse(L) M
void block_upper_solve(double* m, const double* u);                ///< M := M inverse(U)
void block_schur(double* m, const double* left, const double* up); ///< M -= left up

/// to[j][i] = from[i][j] for i < rows, j < columns; the strides count elements.
void transpose(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns);

/// Ways to complete a board of n queens when the upper rows are filled: `columns`, `left` and `right` mark the squares
/// of the next row that are attacked straight down and along the two diagonals.
std::uint64_t queens(unsigned all, unsigned columns, unsigned left, unsigned right);

} // namespace apps::leaves
