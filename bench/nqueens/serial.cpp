// SPDX-License-Identifier: Apache-2.0
#include "nqueens/nqueens.hpp"

namespace bench::nqueens {
namespace {

// In place: serial code needs no copy of the board for each placement.
std::uint64_t from(board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    std::uint64_t sum = 0;
    for (unsigned c = 0; c < n; ++c) {
        if (safe(columns, row, c)) {
            columns[row] = static_cast<signed char>(c);
            sum += from(columns, row + 1, n);
        }
    }
    return sum;
}

} // namespace

std::uint64_t count(unsigned n) {
    board columns{};
    return from(columns, 0, n);
}

} // namespace bench::nqueens
