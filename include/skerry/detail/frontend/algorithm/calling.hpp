// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of the caller's functions and stores into the caller's elements. Which types they have is the caller's choice,
// so a number is cast to what they take: a compiler that warns of conversions has nothing to say of this header.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/parameters.hpp>

#include <type_traits>

namespace skerry::inline SKERRY_ABI::detail {

template <class To, class From>
inline constexpr bool other_number =
    std::is_arithmetic_v<To> && std::is_arithmetic_v<From> && !std::is_same_v<To, From>;

template <class Known>
struct casts;
template <class... P>
struct casts<parameters<P...>> {
    // Whether an argument A&& meets a parameter that is another number; if so, what it is cast to.
    template <class... A>
    static constexpr bool cast = [] {
        if constexpr (sizeof...(P) == sizeof...(A)) {
            return (other_number<std::remove_cvref_t<P>, std::remove_cvref_t<A>> || ...);
        } else {
            return false; // some have a default
        }
    }();
    template <class To, class A>
    using cast_to =
        std::conditional_t<other_number<std::remove_cvref_t<To>, std::remove_cvref_t<A>>, std::remove_cvref_t<To>, A&&>;

    template <class F>
    struct caster {
        F& f;

        template <class... A>
        [[gnu::__always_inline__]] constexpr decltype(auto) operator()(A&&... a) const {
            return f(static_cast<cast_to<P, A>>(a)...);
        }
    };
};

// f, to be called with arguments A&&...
template <class... A, class F>
[[gnu::__always_inline__]] constexpr decltype(auto) casting(F& f) noexcept {
    using known = casts<typename parameters_of<std::remove_cv_t<F>>::type>;
    if constexpr (known::template cast<A...>) {
        return typename known::template caster<F>{f};
    } else {
        return (f);
    }
}

// *out = value
template <class Out, class T>
[[gnu::__always_inline__]] constexpr void write(const Out& out, T&& value) {
    using element = std::remove_reference_t<decltype(*out)>;
    if constexpr (other_number<element, std::remove_cvref_t<T>>) {
        *out = static_cast<element>(value);
    } else {
        *out = static_cast<T&&>(value);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
