// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/branch_misuse.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/frontend/serial/stop.hpp>
#include <skerry/interest.hpp>

#include <concepts>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace skerry::inline SKERRY_ABI::serial {

// What can be a branch: a callable without arguments.
template <class F>
concept branch = std::invocable<std::remove_reference_t<F>&>;

namespace detail {

template <class F>
using result = std::invoke_result_t<std::remove_reference_t<F>&>;
template <class F>
using value_of = std::conditional_t<std::is_void_v<result<F>>, std::monostate, result<F>>;

template <class F>
value_of<F> call(F& f) {
    throw_if_stopping();
    if constexpr (std::is_void_v<result<F>>) {
        std::invoke(f);
        return {};
    } else {
        return std::invoke(f);
    }
}

} // namespace detail

// Calls the branches from left to right: their results as a tuple, std::monostate for a branch without result; void if
// no branch has one.
template <branch... F>
    requires(sizeof...(F) >= 1)
auto parallel_invoke(F&&... f) {
    if constexpr ((std::is_void_v<detail::result<F>> && ...)) {
        (static_cast<void>(detail::call(f)), ...);
    } else {
        return std::tuple<detail::value_of<F>...>{detail::call(f)...}; // braces: in this order
    }
}
// Any other call: what is wrong with it.
template <class... F>
    requires(sizeof...(F) == 0 || !(branch<F> && ...))
auto parallel_invoke(F&&...) {
    skerry::detail::explain_branches<F...>();
}

template <branch F>
decltype(auto) blocking(F&& f) {
    return std::invoke(f);
}
// Any other call: what is wrong with it.
template <class... A>
    requires(sizeof...(A) != 1 || !(branch<A> && ...))
auto blocking(A&&...) {
    skerry::detail::explain_call<A...>();
}

template <std::copy_constructible T>
[[nodiscard]] T may_be_stale(const T& x) {
    return x;
}

using skerry::region_of_interest;

} // namespace skerry::inline SKERRY_ABI::serial
