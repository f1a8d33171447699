// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/sorting.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_sort(first, last [, compare [, projection]]), parallel_sort(range [, compare [, projection]])
//
// As std::ranges::sort: O(n log n) comparisons, whatever the input; compare may be called by several threads at once.
// Integral keys in ascending or descending order (std::less, std::greater; the elements themselves or what the
// projection gives) are sorted by radix instead, without comparing. Takes memory for a second array; where there is
// none, it sorts in place. If a comparison throws, the exception arrives and all elements are there, in some order; in
// some order, too, if it is no strict weak order, as with NaN. If a copy of an element throws, that exception arrives,
// and all elements are alive.
inline constexpr detail::explained<detail::parallel_sort_function<detail::forking, false>> parallel_sort{};

// The same, and equal elements keep their order.
inline constexpr detail::explained<detail::parallel_sort_function<detail::forking, true>> parallel_stable_sort{};

} // namespace skerry::inline SKERRY_ABI
