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
    for (std::uint32_t left = safe_columns(columns, row, n); left != 0; left &= left - 1) {
        columns[row] = static_cast<signed char>(std::countr_zero(left));
        sum += from(columns, row + 1, n);
    }
    return sum;
}

} // namespace

std::uint64_t count(unsigned n) {
    board columns{};
    return from(columns, 0, n);
}

} // namespace bench::nqueens
