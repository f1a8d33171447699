// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class... P>
struct parameters {
    static constexpr std::size_t count = sizeof...(P);
};

// The parameters of a function, as far as they are known: not those of a template, which is made for what it is given,
// nor those of overloads.
template <class F>
struct parameters_of {
    static constexpr bool known = false;
    using type = parameters<>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...)> {
    static constexpr bool known = true;
    using type = parameters<P...>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P>
struct parameters_of<R (C::*)(P...)> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P>
struct parameters_of<R (C::*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P>
struct parameters_of<R (C::*)(P...) const> : parameters_of<R (*)(P...)> {};
template <class C, class R, class... P>
struct parameters_of<R (C::*)(P...) const noexcept> : parameters_of<R (*)(P...)> {};
template <class F>
    requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of<decltype(&F::operator())> {};

} // namespace skerry::inline SKERRY_ABI::detail
