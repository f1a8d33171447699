// SPDX-License-Identifier: Apache-2.0
// All ways to place n queens, counted: a task for every placement that is safe so far, no cut-off.
#pragma once

#include <array>
#include <cstdint>

namespace bench::nqueens {

inline constexpr unsigned max_n = 16;

/// columns[r]: where the queen of row r stands
using board = std::array<signed char, max_n>;

/// Whether a queen in this column of this row is safe from those of the rows above.
inline bool safe(const board& columns, unsigned row, unsigned column) {
    for (unsigned r = 0; r < row; ++r) {
        const int distance = static_cast<int>(column) - columns[r];
        const int rows = static_cast<int>(row - r);
        if (distance == 0 || distance == rows || distance == -rows) {
            return false;
        }
    }
    return true;
}

/// The safe columns of a row.
struct choices {
    std::array<signed char, max_n> column;
    unsigned size = 0;

    choices(const board& columns, unsigned row, unsigned n) {
        for (unsigned c = 0; c < n; ++c) {
            if (safe(columns, row, c)) {
                column[size++] = static_cast<signed char>(c);
            }
        }
    }
};

inline board placed(const board& columns, unsigned row, signed char column) {
    board next = columns;
    next[row] = column;
    return next;
}

std::uint64_t count(unsigned n);

} // namespace bench::nqueens
