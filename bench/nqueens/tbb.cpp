// SPDX-License-Identifier: Apache-2.0
// A task per placement but the last, which the caller computes itself.
#include "nqueens/nqueens.hpp"

#include <tbb/task_group.h>

namespace bench::nqueens {
namespace {

template <class Rule>
std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    const choices<Rule> next(columns, row, n);
    if (next.size == 0) {
        return 0;
    }
    std::array<std::uint64_t, max_n> counts;
    tbb::task_group group;
    for (unsigned i = 0; i + 1 < next.size; ++i) {
        group.run([&, i] { counts[i] = from<Rule>(placed(columns, row, next.column[i]), row + 1, n); });
    }
    const unsigned last = next.size - 1;
    counts[last] = from<Rule>(placed(columns, row, next.column[last]), row + 1, n);
    group.wait();
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < next.size; ++i) {
        sum += counts[i];
    }
    return sum;
}

template <class Rule>
std::uint64_t count(unsigned n) {
    return from<Rule>(board{}, 0, n);
}

} // namespace

std::uint64_t by_comparing(unsigned n) { return count<compared>(n); }
std::uint64_t by_bits(unsigned n) { return count<bits>(n); }

} // namespace bench::nqueens
