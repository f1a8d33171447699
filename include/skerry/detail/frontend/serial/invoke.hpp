// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace skerry::inline SKERRY_ABI::serial {

namespace detail {

template <class F>
using result = std::conditional_t<std::is_void_v<std::invoke_result_t<F>>, std::monostate, std::invoke_result_t<F>>;

template <class F>
result<F> call(F&& f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
        std::invoke(std::forward<F>(f));
        return {};
    } else {
        return std::invoke(std::forward<F>(f));
    }
}

} // namespace detail

// Calls them from left to right. Void if all are, else a tuple with std::monostate for void.
template <class... F>
    requires(std::invocable<F> && ...)
auto parallel_invoke(F&&... f) {
    if constexpr ((std::is_void_v<std::invoke_result_t<F>> && ...)) {
        (static_cast<void>(std::invoke(std::forward<F>(f))), ...);
    } else {
        // Braces fix the order.
        return std::tuple<detail::result<F>...>{detail::call(std::forward<F>(f))...};
    }
}

// f may block; here nothing else could run meanwhile.
template <std::invocable F>
decltype(auto) blocking(F&& f) {
    return std::invoke(std::forward<F>(f));
}

template <class T>
T may_be_stale(const T& x) {
    return x;
}

} // namespace skerry::inline SKERRY_ABI::serial
