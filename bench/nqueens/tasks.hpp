// SPDX-License-Identifier: Apache-2.0
// The program as tasks, over one of the two forms of parallel_transform_reduce: the runtime's, and the elision's. A
// column is looked for when it is wanted, as serial code does.
#pragma once

#include "nqueens/nqueens.hpp"

#include <functional>
#include <optional>

namespace bench::nqueens {

template <class Rule, const auto& TransformReduce>
std::uint64_t from(const board& columns, unsigned row, unsigned n) {
    if (row == n) {
        return 1;
    }
    return TransformReduce(
        [queen = Rule{columns, row, n}]() mutable { return queen.next() ? std::optional(queen.column) : std::nullopt; },
        std::uint64_t{0}, std::plus<>(),
        [&columns, row, n](signed char column) {
            return from<Rule, TransformReduce>(placed(columns, row, column), row + 1, n);
        });
}

template <class Rule, const auto& TransformReduce>
std::uint64_t count(unsigned n) {
    return from<Rule, TransformReduce>(board{}, 0, n);
}

} // namespace bench::nqueens
