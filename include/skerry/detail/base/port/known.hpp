// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Tells the compiler that the object holds this value, which a call in between may have hidden from it. An optimising
// compiler reads nothing for it, and need not read the object again. Builds without optimisation and those that look
// for undefined behaviour read it, and the latter say so if it is not true. Where accesses are watched this does
// nothing.
template <class T>
[[gnu::__always_inline__]] inline void known([[maybe_unused]] const T& object,
                                             [[maybe_unused]] const T& value) noexcept {
    if constexpr (!accesses_are_watched) {
        if (object != value) {
            __builtin_unreachable();
        }
    }
}

// The same value, of which the compiler does not see where it comes from. T fits into a register.
template <class T>
[[gnu::__always_inline__]] inline T hidden(T value) noexcept {
    asm("" : "+r"(value));
    return value;
}

} // namespace skerry::inline SKERRY_ABI::detail
