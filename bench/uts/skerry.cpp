// SPDX-License-Identifier: Apache-2.0
#include "uts/uts.hpp"

#include <skerry/algorithm.hpp>

#include <functional>
#include <ranges>

namespace bench::uts {
namespace {

std::uint64_t below(const node& parent) {
    return skerry::parallel_transform_reduce(
        std::views::iota(0U, parent.children()), std::uint64_t{1}, std::plus<>(),
        [&](unsigned i) { return below(node(parent, i)); }, skerry::grain::fixed(1));
}

} // namespace

std::uint64_t count() { return below(node()); }

} // namespace bench::uts
