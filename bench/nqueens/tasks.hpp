// SPDX-License-Identifier: Apache-2.0
// The program as tasks, over one of the two forms of parallel_transform_reduce: the runtime's, and the elision's.
#pragma once

#include "nqueens/nqueens.hpp"

#include <skerry/range.hpp>

#include <functional>

namespace bench::nqueens {

template <class Rule, const auto& TransformReduce>
std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    const choices<Rule> next(columns, row, n);
    return TransformReduce(
        next.column.begin(), next.column.begin() + next.size, std::uint64_t{0}, std::plus<>(),
        [&](signed char column) { return from<Rule, TransformReduce>(placed(columns, row, column), row + 1, n); },
        skerry::grain::fixed(1));
}

template <class Rule, const auto& TransformReduce>
std::uint64_t count(unsigned n) {
    return from<Rule, TransformReduce>(board{}, 0, n);
}

} // namespace bench::nqueens
