// SPDX-License-Identifier: Apache-2.0
#pragma once

// The task of the program: one round of one strip of rows. Included by jacobi.cpp, once in each variant.

#include "support/dataflow.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace apps::SKERRY_APP_VARIANT {

namespace jacobi_tasks {

using line = std::span<float>;
using const_line = std::span<const float>;

/// Consecutive rows of the table, twice. All of it lies in the strip's region.
struct strip {
    float* now;
    float* next;
    std::size_t rows;
    std::size_t columns;
};

/// The means of a row, but for its ends. Each sum is in this order: north, south, west, east.
inline void means(const float* north, const float* row, const float* south, float* to, std::size_t columns) {
    to[0] = row[0];
    for (std::size_t c = 1; c + 1 < columns; ++c) to[c] = (north[c] + south[c] + row[c - 1] + row[c + 1]) * 0.25F;
    to[columns - 1] = row[columns - 1];
}

/// `above` and `below` are the rows that the neighbours had at the end of the round before; `first` and `last` become
/// this strip's for the next. The strip itself is found by a pointer into its region.
inline void step(par::region&, const_line above, const_line below, line first, line last, strip* s) {
    for (std::size_t r = 0; r < s->rows; ++r) {
        const float* const row = s->now + r * s->columns;
        means(r == 0 ? above.data() : row - s->columns, row, r + 1 == s->rows ? below.data() : row + s->columns,
              s->next + r * s->columns, s->columns);
    }
    std::swap(s->now, s->next);
    std::copy_n(s->now, s->columns, first.begin());
    std::copy_n(s->now + (s->rows - 1) * s->columns, s->columns, last.begin());
}

} // namespace jacobi_tasks

} // namespace apps::SKERRY_APP_VARIANT
