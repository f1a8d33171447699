// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/prefix.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_inclusive_scan(first, last, out [, op [, init]] [, grain])
// parallel_inclusive_scan(range, out [, op [, init]] [, grain])
// parallel_exclusive_scan(first, last, out, init [, op] [, grain])
// parallel_exclusive_scan(range, out, init [, op] [, grain])
//
// As std::inclusive_scan and std::exclusive_scan. out may be the beginning of the input. op need only be associative.
// With grain::fixed(n) the grouping depends on n and the length only: the results are the same to the last bit for any
// number of workers, and in skerry::serial. They take memory for one sum for each piece; std::bad_alloc arrives before
// anything is written. Return the end of the output.
inline constexpr detail::explained<detail::parallel_inclusive_scan_function<detail::forking>> parallel_inclusive_scan{};
inline constexpr detail::explained<detail::parallel_exclusive_scan_function<detail::forking>> parallel_exclusive_scan{};

} // namespace skerry::inline SKERRY_ABI
