// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/branch_misuse.hpp>
#include <skerry/detail/frontend/forkjoin/fork.hpp>
#include <skerry/detail/frontend/forkjoin/part.hpp>
#include <skerry/detail/sched/stopping.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI {

// What can be a branch: a callable without arguments.
template <class F>
concept branch = std::invocable<std::remove_reference_t<F>&>;

namespace detail {

template <class A, class B>
[[gnu::__always_inline__]] inline std::tuple<A, B> as_tuple(both<A, B>&& r) {
    return std::tuple<A, B>(static_cast<A&&>(r.first), static_cast<B&&>(r.second));
}

// What several branches are called that are forked as one: "left, right".
template <class... F>
struct named_together {
  private:
    static constexpr const char* separator = ", ";
    static constexpr std::size_t length_of(std::nullptr_t) noexcept { return 0; }
    static constexpr std::size_t length_of(const char* one) noexcept {
        std::size_t n = 0;
        while (one[n] != 0) ++n;
        return n;
    }
    static constexpr std::size_t room = (std::size_t{1} + ... + (length_of(body_name<F>) + 2));
    struct words {
        char text[room] = {};
        consteval words() noexcept { (append(body_name<F>), ...); }
        consteval void append(std::nullptr_t) noexcept {}
        consteval void append(const char* one) noexcept {
            std::size_t at = length_of(text);
            for (const char* c = at == 0 ? "" : separator; *c != 0; ++c) text[at++] = *c;
            for (const char* c = one; *c != 0; ++c) text[at++] = *c;
        }
    };
    static constexpr words joined{};

  public:
    static constexpr const char* name = joined.text;
};
template <class... F>
    requires(has_name<F> || ...)
inline constexpr const char* body_name<named_together<F...>> = named_together<F...>::name;

// The results of several branches as a tuple, from halves of the branches. More than two fork in place: in a function
// of its own GCC is a fifth slower.
template <class... F>
[[gnu::__always_inline__]] inline auto invoke_all(F&&... f) {
    if constexpr (sizeof...(F) == 1) {
        return std::tuple<result_of<invoke_result<std::remove_reference_t<F>>>...>(call_shown(f)...);
    } else if constexpr (sizeof...(F) == 2) {
        return as_tuple(fork_values(static_cast<F&&>(f)...));
    } else {
        const auto halves = [all = std::forward_as_tuple(static_cast<F&&>(f)...)]<std::size_t... Is, std::size_t... Js>(
                                std::index_sequence<Is...>, std::index_sequence<Js...>) {
            constexpr std::size_t half = sizeof...(Is);
            using left = named_together<std::remove_reference_t<std::tuple_element_t<Is, std::tuple<F...>>>...>;
            using right = named_together<std::remove_reference_t<std::tuple_element_t<half + Js, std::tuple<F...>>>...>;
            auto r =
                fork_values(as_part_of<left>([&all] { return invoke_all(std::get<Is>(std::move(all))...); }),
                            as_part_of<right>([&all] { return invoke_all(std::get<half + Js>(std::move(all))...); }));
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
[[gnu::__always_inline__]] inline auto parallel_invoke(F&&... f) {
    if constexpr (sizeof...(F) == 1) detail::throw_if_stopping(); // no fork is there to look
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
// Any other call: what is wrong with it.
template <class... F>
    requires(sizeof...(F) == 0 || !(branch<F> && ...))
auto parallel_invoke(F&&...) {
    detail::explain_branches<F...>();
}

} // namespace skerry::inline SKERRY_ABI
