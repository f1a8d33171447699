// SPDX-License-Identifier: Apache-2.0
#include "nqueens/nqueens.hpp"

namespace bench::nqueens {
namespace {

std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    const choices next(columns, row, n);
    std::array<std::uint64_t, max_n> counts;
    for (unsigned i = 0; i < next.size; ++i) {
#pragma omp task shared(columns, next, counts) firstprivate(i, row, n)
        counts[i] = from(placed(columns, row, next.column[i]), row + 1, n);
    }
#pragma omp taskwait
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < next.size; ++i) {
        sum += counts[i];
    }
    return sum;
}

} // namespace

std::uint64_t count(unsigned n) {
    std::uint64_t sum = 0;
#pragma omp parallel
#pragma omp single
    sum = from(board{}, 0, n);
    return sum;
}

} // namespace bench::nqueens
