// SPDX-License-Identifier: Apache-2.0
#pragma once

// The serial elision: the names of namespace skerry in skerry::serial, everything done in place and in program order. A
// program's one source, compiled against it, is the reference for results and for speed. It needs no library, unless
// the program has regions.

#include <skerry/detail/frontend/algorithm/explained.hpp>
#include <skerry/detail/frontend/algorithm/filter.hpp>
#include <skerry/detail/frontend/algorithm/in_place.hpp>
#include <skerry/detail/frontend/algorithm/loop.hpp>
#include <skerry/detail/frontend/algorithm/mapping.hpp>
#include <skerry/detail/frontend/algorithm/prefix.hpp>
#include <skerry/detail/frontend/algorithm/reduction.hpp>
#include <skerry/detail/frontend/algorithm/search.hpp>
#include <skerry/detail/frontend/algorithm/sorting.hpp>
#include <skerry/detail/frontend/serial/dataflow.hpp>
#include <skerry/detail/frontend/serial/invoke.hpp>
#include <skerry/detail/frontend/serial/runtime.hpp>
#include <skerry/detail/frontend/serial/tasks.hpp>
#include <skerry/kernel.hpp>
#include <skerry/named.hpp>
#include <skerry/range.hpp>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {
struct looks {
    static void check_stop() { throw_if_stopping(); }
};
using in_place = skerry::detail::in_order<looks>;
using skerry::detail::quantifier;
} // namespace detail

using skerry::bad_grain;
using skerry::bad_source;
using skerry::box;
using skerry::each;
using skerry::grain;
using skerry::literal;
using skerry::named;
using skerry::named_task;
using skerry::place;
using skerry::schedule;
using skerry::task_name;

inline constexpr skerry::detail::explained<skerry::detail::parallel_for_function<detail::in_place>> parallel_for{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_for_each_function<detail::in_place>>
    parallel_for_each{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_transform_function<detail::in_place>>
    parallel_transform{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_copy_if_function<detail::in_place>>
    parallel_copy_if{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_reduce_function<detail::in_place>>
    parallel_reduce{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_transform_reduce_function<detail::in_place>>
    parallel_transform_reduce{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_inclusive_scan_function<detail::in_place>>
    parallel_inclusive_scan{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_exclusive_scan_function<detail::in_place>>
    parallel_exclusive_scan{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_find_if_function<detail::in_place>>
    parallel_find_if{};
inline constexpr skerry::detail::explained<
    skerry::detail::parallel_quantifier_function<detail::in_place, detail::quantifier::any>>
    parallel_any_of{};
inline constexpr skerry::detail::explained<
    skerry::detail::parallel_quantifier_function<detail::in_place, detail::quantifier::all>>
    parallel_all_of{};
inline constexpr skerry::detail::explained<
    skerry::detail::parallel_quantifier_function<detail::in_place, detail::quantifier::none>>
    parallel_none_of{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_sort_function<detail::in_place, false>>
    parallel_sort{};
inline constexpr skerry::detail::explained<skerry::detail::parallel_sort_function<detail::in_place, true>>
    parallel_stable_sort{};

} // namespace skerry::inline SKERRY_ABI::serial
