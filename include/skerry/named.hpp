// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names for bodies: the name is part of the body's type.
//
//   skerry::parallel_invoke(skerry::named<"left">(f), skerry::named<"right">(g));
//
// A debugger, a profiler and a sanitizer show it in every frame of the task, as named_task<"left", ...>; traces and the
// watchdog show it alone; code that handles tasks finds it with task_name. A task stores, passes and compares nothing
// for it. Where a body is called in place, one word says whether anybody wants to know.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI {

// A string literal as a template argument.
template <std::size_t N>
struct literal {
    // Implicit: this is how a literal becomes one. NOLINTNEXTLINE(google-explicit-constructor)
    consteval literal(const char (&text)[N]) noexcept { std::copy_n(text, N, characters); }
    [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters, N - 1}; }
    char characters[N];
};

// Callable as F is, and of the same size.
template <literal Name, class F>
class named_task {
  public:
    explicit constexpr named_task(F f) noexcept(std::is_nothrow_move_constructible_v<F>) : f_(std::move(f)) {}

    template <class... A>
        requires std::invocable<F&, A...>
    decltype(auto) operator()(A&&... a) {
        return std::invoke(f_, std::forward<A>(a)...);
    }
    template <class... A>
        requires std::invocable<const F&, A...>
    decltype(auto) operator()(A&&... a) const {
        return std::invoke(f_, std::forward<A>(a)...);
    }

    static constexpr std::string_view name = Name.view();

  private:
    [[no_unique_address]] F f_;
};

// f with a name. Use it wherever f could stand: branches, bodies of loops, tasks.
template <literal Name, class F>
[[nodiscard]] constexpr auto named(F&& f) {
    return named_task<Name, std::decay_t<F>>(std::forward<F>(f));
}

// The name of a task, empty if it has none.
template <class F>
inline constexpr std::string_view task_name{};
template <literal Name, class F>
inline constexpr std::string_view task_name<named_task<Name, F>> = Name.view();

namespace detail {
template <literal Name, class F>
inline constexpr auto body_name<named_task<Name, F>> = body_name<F>;
template <literal Name, class F>
    requires(!Name.view().empty())
inline constexpr const char* body_name<named_task<Name, F>> = Name.characters;
template <class F>
inline constexpr auto body_name<std::reference_wrapper<F>> = body_name<F>;
} // namespace detail

} // namespace skerry::inline SKERRY_ABI
