// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a construct forks for a body with a name: its own closures, which say that name to a trace where a thief runs
// them. Named: whatever has the body_name. Without one they are what they were.

#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class Named, class F>
struct part {
    F f;

    decltype(auto) operator()() { return f(); }
};
template <class Named, class F>
inline constexpr auto body_name<part<Named, F>> = body_name<Named>;
template <class Named, class F>
inline constexpr bool is_part<part<Named, F>> = true;

// A closure for a fork.
template <class Named, class F>
[[gnu::__always_inline__]] inline decltype(auto) as_part_of(F&& f) noexcept {
    if constexpr (has_name<Named>) {
        return part<Named, F>{static_cast<F&&>(f)};
    } else {
        return static_cast<F&&>(f);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
