// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the arguments of spawn() reach the task's function: an access as the object it names, anything else as a copy
// that the task cannot change.

#include <functional>
#include <type_traits>
#include <utility>

#include <skerry/access.hpp>
#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a task keeps of an argument.
template <class A>
using kept_argument = std::decay_t<A>;

// What the function takes of it.
template <class K>
decltype(auto) passed_argument(const K& kept) noexcept {
    if constexpr (is_access<K>) {
        return kept.get();
    } else {
        return (kept);
    }
}

template <class K>
using passed_type = decltype(passed_argument(std::declval<const K&>()));

// A callable and arguments that make a task. A function object is copied into the task and called there once.
template <class F, class... A>
concept spawnable =
    std::constructible_from<std::decay_t<F>, F> && (std::constructible_from<kept_argument<A>, A> && ...) &&
    std::invocable<std::decay_t<F>&, passed_type<kept_argument<A>>...>;

} // namespace skerry::inline SKERRY_ABI::detail
