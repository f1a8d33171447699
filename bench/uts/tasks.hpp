// SPDX-License-Identifier: Apache-2.0
// The program as tasks, over one of the two forms of parallel_transform_reduce: the runtime's, and the elision's.
#pragma once

#include "uts/uts.hpp"

#include <skerry/range.hpp>

#include <functional>
#include <ranges>

namespace bench::uts {

template <const auto& TransformReduce>
std::uint64_t below(const node& parent) {
    return TransformReduce(
        std::views::iota(0U, parent.children()), std::uint64_t{1}, std::plus<>(),
        [&](unsigned i) { return below<TransformReduce>(node(parent, i)); }, skerry::grain::fixed(1));
}

} // namespace bench::uts
