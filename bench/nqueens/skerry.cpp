// SPDX-License-Identifier: Apache-2.0
#include "nqueens/nqueens.hpp"

#include <skerry/algorithm.hpp>

#include <functional>

namespace bench::nqueens {
namespace {

template <class Rule>
std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    const choices<Rule> next(columns, row, n);
    return skerry::parallel_transform_reduce(
        next.column.begin(), next.column.begin() + next.size, std::uint64_t{0}, std::plus<>(),
        [&](signed char column) { return from<Rule>(placed(columns, row, column), row + 1, n); },
        skerry::grain::fixed(1));
}

template <class Rule>
std::uint64_t count(unsigned n) {
    return from<Rule>(board{}, 0, n);
}

} // namespace

std::uint64_t by_comparing(unsigned n) { return count<compared>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits>(n); }

} // namespace bench::nqueens
