// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>

namespace skerry::inline SKERRY_ABI {

// What can be a branch: a callable without arguments.
template <class F>
concept branch = std::invocable<std::remove_reference_t<F>&>;

namespace detail {

template <class A, class B>
[[gnu::always_inline]] inline std::tuple<A, B> as_tuple(both<A, B>&& r) {
    return std::tuple<A, B>(static_cast<A&&>(r.first), static_cast<B&&>(r.second));
}

// The results of several branches as a tuple, from halves of the branches. More than two fork in place: in a function
// of its own GCC is a fifth slower.
template <class... F>
[[gnu::always_inline]] inline auto invoke_all(F&&... f) {
    if constexpr (sizeof...(F) == 1) {
        return std::tuple<result_of<invoke_result<std::remove_reference_t<F>>>...>(call(f)...);
    } else if constexpr (sizeof...(F) == 2) {
        return as_tuple(fork_values(static_cast<F&&>(f)...));
    } else {
        const auto halves = [all = std::forward_as_tuple(static_cast<F&&>(f)...)]<std::size_t... Is, std::size_t... Js>(
                                std::index_sequence<Is...>, std::index_sequence<Js...>) {
            constexpr std::size_t half = sizeof...(Is);
            auto r = fork_values([&all] { return invoke_all(std::get<Is>(std::move(all))...); },
                                 [&all] { return invoke_all(std::get<half + Js>(std::move(all))...); });
            return std::tuple_cat(std::move(r.first), std::move(r.second));
        };
        return halves(std::make_index_sequence<sizeof...(F) / 2>{},
                      std::make_index_sequence<sizeof...(F) - sizeof...(F) / 2>{});
    }
}

} // namespace detail

// Runs the branches, possibly at the same time, and returns when all are done: their results as a tuple in the order of
// the branches, std::monostate for a branch without result; void if no branch has one. A reference stays a reference.
//
// If branches throw, the leftmost exception arrives, as it would from the serial program; branches not yet begun are
// skipped, others are waited for.
//
// Thread safety: any thread. The branches may run on other threads. Beyond the branches: about 20 instructions per
// branch if nothing is stolen. Source: Wang et al., Fig. 2(b).
template <branch... F>
    requires(sizeof...(F) >= 1)
[[gnu::always_inline]] inline auto parallel_invoke(F&&... f) {
    constexpr bool no_results = (std::is_void_v<detail::invoke_result<std::remove_reference_t<F>>> && ...);
    if constexpr (no_results && sizeof...(F) == 2) {
        static_cast<void>(detail::fork_at_best(static_cast<F&&>(f)...)); // a tuple would take longer to compile
    } else if constexpr (no_results) {
        static_cast<void>(detail::invoke_all(static_cast<F&&>(f)...));
    } else if constexpr (sizeof...(F) == 2) {
        return detail::as_tuple(detail::fork_at_best(static_cast<F&&>(f)...));
    } else {
        return detail::invoke_all(static_cast<F&&>(f)...);
    }
}

} // namespace skerry::inline SKERRY_ABI
