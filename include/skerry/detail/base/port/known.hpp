// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Tells the compiler that the object holds this value, which a call in between may have hidden from it: it need not
// read it again. Nor is it read here, but where accesses are watched, and there this does nothing.
template <class T>
[[gnu::always_inline]] inline void known([[maybe_unused]] const T& object, [[maybe_unused]] const T& value) noexcept {
    if constexpr (!accesses_are_watched) {
        if (object != value) {
            __builtin_unreachable();
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
