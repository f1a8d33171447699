// SPDX-License-Identifier: Apache-2.0
#include "nqueens/nqueens.hpp"

namespace bench::nqueens {
namespace {

template <class Rule>
std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    const choices<Rule> next(columns, row, n);
    std::array<std::uint64_t, max_n> counts;
    for (unsigned i = 0; i < next.size; ++i) {
#pragma omp task shared(columns, next, counts) firstprivate(i, row, n)
        counts[i] = from<Rule>(placed(columns, row, next.column[i]), row + 1, n);
    }
#pragma omp taskwait
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < next.size; ++i) {
        sum += counts[i];
    }
    return sum;
}

template <class Rule>
std::uint64_t count(unsigned n) {
    std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
    sum = from<Rule>(board{}, 0, n);
    return sum;
}

} // namespace

std::uint64_t by_comparing(unsigned n) { return count<compared>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits>(n); }

} // namespace bench::nqueens
