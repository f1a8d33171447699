// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many leaves become one tree: a binary tree down to single leaves, cut so that as many leaves as can be lie in
// whole rows. The shape depends on the number of leaves only. A reduction joins its leaves in this shape, whoever runs
// them.

#include <skerry/detail/base/abi.hpp>

#include <cstdint>

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::uint64_t row_length = 8; // a power of two

// Where the leaves [first, last) are cut, last > first + 1.
constexpr std::uint64_t middle_of_leaves(std::uint64_t first, std::uint64_t last) noexcept {
    const std::uint64_t n = last - first;
    const std::uint64_t half = n / 2 + n % 2; // n may be all that fit
    return first + (n > row_length ? (half + row_length - 1) & ~(row_length - 1) : half);
}

// What leaves without a result give, and how they are joined.
struct nothing {};
struct join_nothing {
    constexpr nothing operator()(nothing /*left*/, nothing /*right*/) const noexcept { return {}; }
};

} // namespace skerry::inline SKERRY_ABI::detail
