// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/forking.hpp>
#include <skerry/detail/frontend/algorithm/search.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI {

// parallel_find_if(first, last, predicate [, grain]), parallel_find_if(range, predicate [, grain])
//
// The first match, as std::find_if finds it, or the end. Elements after a known match are left out soon, so the
// predicate may or may not be called for them. An exception arrives if and only if the serial search would have met it.
inline constexpr detail::explained<detail::parallel_find_if_function<detail::forking>> parallel_find_if{};

// parallel_any_of, parallel_all_of, parallel_none_of: the same arguments, the same early exit, a bool.
inline constexpr detail::explained<detail::parallel_quantifier_function<detail::forking, detail::quantifier::any>>
    parallel_any_of{};
inline constexpr detail::explained<detail::parallel_quantifier_function<detail::forking, detail::quantifier::all>>
    parallel_all_of{};
inline constexpr detail::explained<detail::parallel_quantifier_function<detail::forking, detail::quantifier::none>>
    parallel_none_of{};

} // namespace skerry::inline SKERRY_ABI
