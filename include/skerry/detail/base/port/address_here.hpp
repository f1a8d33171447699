// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The address of an object or a function, formed where it is wanted. Without it GCC forms it once for all turns of a
// recursion that became a loop, and every call saves and restores the register that holds it.
template <class T>
[[gnu::always_inline]] inline T* address_here(T& of) noexcept {
#if defined(__x86_64__)
    T* address;
    asm volatile("lea %1, %0" : "=r"(address) : "m"(reinterpret_cast<const char&>(of)));
#else
    T* address = __builtin_addressof(of);
    asm volatile("" : "+r"(address));
#endif
    return address;
}

} // namespace skerry::inline SKERRY_ABI::detail
