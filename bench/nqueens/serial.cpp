// SPDX-License-Identifier: Apache-2.0
#include "nqueens/nqueens.hpp"

namespace bench::nqueens {
namespace {

// In place: serial code needs no copy of the board for each placement.
template <class Rule>
std::uint64_t from(board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    std::uint64_t sum = 0;
    for (Rule queen{columns, row, n}; queen.next();) {
        columns[row] = queen.column;
        sum += from<Rule>(columns, row + 1, n);
    }
    return sum;
}

template <class Rule>
std::uint64_t count(unsigned n) {
    board columns{};
    return from<Rule>(columns, 0, n);
}

} // namespace

std::uint64_t by_comparing(unsigned n) { return count<compared>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits>(n); }

} // namespace bench::nqueens
