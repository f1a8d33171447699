// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// How an algorithm hands a value of the caller on to its leaves. A leaf of a recursion is mostly a call that the
// compiler does not see into, so what it takes by reference is loaded anew after each: a closure's word stays in a
// register.
template <class T>
using handed_on = std::conditional_t<std::is_trivially_copyable_v<T> && sizeof(T) <= 2 * sizeof(void*), const T, T&>;

// The same for a function that is called with such arguments. One that changes itself stays one.
template <class F, class... A>
using handed_on_function = std::conditional_t<std::is_invocable_v<const F&, A...>, handed_on<F>, F&>;

} // namespace skerry::inline SKERRY_ABI::detail
