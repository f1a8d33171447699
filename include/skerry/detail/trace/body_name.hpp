// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a body that was given a name (skerry/named.hpp) tells it to whoever shows names. A task is known by the code that
// it runs, and that code is another function for each type of body, so the name is told once for each such function,
// before main: a task itself carries none. It does not come from symbols, which a stripped program has not.
//
// Thread safety: any thread.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>

namespace skerry::inline SKERRY_ABI {

template <std::size_t N>
struct literal;
template <literal Name, class F>
class named_task;

namespace detail {

// The literal that a type of body is called by; null: it has no name. Whether it has one is told by the type: a
// compiler that looks for undefined behaviour (-fsanitize=undefined) compares no address with null before it runs.
template <class F>
inline constexpr std::nullptr_t body_name = nullptr;
template <class F>
inline constexpr auto body_name<const F> = body_name<F>;
template <class F>
inline constexpr bool has_name = !std::is_null_pointer_v<decltype(body_name<F>)>;

// A part of an algorithm: it shows the algorithm's name where a thief runs it, and nothing in place.
template <class F>
inline constexpr bool is_part = false;

// From now on tasks that run `code` are called so. `name` is a literal. Not told again, it stays when its module goes.
SKERRY_EXPORT void tell_name(std::uintptr_t code, const char* name) noexcept;

struct told_name {
    told_name(std::uintptr_t code, const char* name) noexcept { tell_name(code, name); }
};

// Hidden: each module has functions of its own for its tasks.
template <class F, auto Run>
[[gnu::__visibility__("hidden")]] inline const told_name told{reinterpret_cast<std::uintptr_t>(Run), body_name<F>};

// Stands in Run, which runs tasks whose body is an F.
template <class F, auto Run>
[[gnu::__always_inline__]] inline void runs_named() noexcept {
    if constexpr (has_name<std::remove_reference_t<F>>) {
        static_cast<void>(&told<std::remove_reference_t<F>, Run>);
    }
}

} // namespace detail

} // namespace skerry::inline SKERRY_ABI
