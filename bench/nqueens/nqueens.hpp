// SPDX-License-Identifier: Apache-2.0
// All ways to place n queens, counted: a task for every placement that is safe so far, no cut-off. What is safe is
// found by one of two rules, which are types so that each peer writes its recursion once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace bench::nqueens {

inline constexpr unsigned max_n = 16;

/// columns[r]: where the queen of row r stands
using board = std::array<signed char, max_n>;

/// Whether no queen of the rows above attacks this place: compared with one after the other, the nearest first, along
/// the column and both diagonals.
inline bool safe(const board& columns, unsigned row, int column) {
    int left = column;
    int right = column;
    for (unsigned r = row; r-- != 0;) {
        const signed char queen = columns[r];
        if (queen == column || queen == --left || queen == ++right) {
            return false;
        }
    }
    return true;
}

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

/// A rule goes over the safe columns of a row: next() finds another one. Not a function that calls another for each:
/// GCC inlines the serial recursion into itself less then, and by bits executes nearly twice as many instructions.
struct compared {
    const board& columns;
    unsigned row, n;
    signed char column = -1;

    bool next() {
        while (++column < static_cast<int>(n)) {
            if (safe(columns, row, column)) {
                return true;
            }
        }
        return false;
    }
};

struct bits {
    std::uint32_t left;
    signed char column = 0;

    bits(const board& columns, unsigned row, unsigned n) : left(safe_columns(columns, row, n)) {}

    bool next() {
        if (left == 0) {
            return false;
        }
        column = static_cast<signed char>(std::countr_zero(left));
        left &= left - 1;
        return true;
    }
};

/// The same as a list, for peers whose tasks need one: to know the last, or to be cut into halves.
template <class Rule>
struct choices {
    std::array<signed char, max_n> column;
    unsigned size = 0;

    choices(const board& columns, unsigned row, unsigned n) {
        for (Rule queen{columns, row, n}; queen.next();) {
            column[size++] = queen.column;
        }
    }
};

/// A copy of the board with one queen more, made where it is used: returned by value it would pass through registers,
/// and reading it back stalls behind the byte just written.
struct placed : board {
    placed(const board& columns, unsigned row, signed char column) : board(columns) { (*this)[row] = column; }
};

std::uint64_t by_comparing(unsigned n);
std::uint64_t by_bits(unsigned n);

} // namespace bench::nqueens
