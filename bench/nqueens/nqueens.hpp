// SPDX-License-Identifier: Apache-2.0
// All ways to place n queens, counted: a task for every placement that is safe so far, no cut-off.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace bench::nqueens {

inline constexpr unsigned max_n = 16;

/// columns[r]: where the queen of row r stands
using board = std::array<signed char, max_n>;

/// The columns of a row that no queen of the rows above attacks, as bits. Without branches, so that the compilers of
/// all peers make about the same of it.
inline std::uint32_t safe_columns(const board& columns, unsigned row, unsigned n) {
    std::uint32_t attacked = 0;
    for (unsigned r = 0; r < row; ++r) {
        const std::uint32_t queen = std::uint32_t{1} << static_cast<unsigned>(columns[r]);
        attacked |= queen | queen << (row - r) | queen >> (row - r);
    }
    return ~attacked & ((std::uint32_t{1} << n) - 1);
}

/// The same as a list.
struct choices {
    std::array<signed char, max_n> column;
    unsigned size = 0;

    choices(const board& columns, unsigned row, unsigned n) {
        for (std::uint32_t left = safe_columns(columns, row, n); left != 0; left &= left - 1) {
            column[size++] = static_cast<signed char>(std::countr_zero(left));
        }
    }
};

/// A copy of the board with one queen more, made where it is used: returned by value it would pass through registers,
/// and reading it back stalls behind the byte just written.
struct placed : board {
    placed(const board& columns, unsigned row, signed char column) : board(columns) { (*this)[row] = column; }
};

std::uint64_t count(unsigned n);

} // namespace bench::nqueens
