// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The address of an object or a function, formed where it is wanted. Without it GCC forms it once for all turns of a
// recursion that became a loop, and every call saves and restores the register that holds it.
template <class T>
[[gnu::__always_inline__]] inline T* address_here(T& of) noexcept {
#if defined(__x86_64__)
    T* address;
    asm volatile("{lea %1, %0|lea %0, %1}" : "=r"(address) : "m"(reinterpret_cast<const char&>(of)));
#else
    T* address = __builtin_addressof(of);
    asm volatile("" : "+r"(address));
#endif
    return address;
}

// The same for a function. GCC takes no reference to one for an operand that is formed where it stands; as a constant
// it does, if the function cannot be replaced by the dynamic linker.
template <auto Function>
[[gnu::__always_inline__]] inline auto function_here() noexcept {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__code_model_large__)
    decltype(Function) address;
    asm volatile("{lea %p1(%%rip), %0|lea %0, [rip + %p1]}" : "=r"(address) : "i"(Function));
    return address;
#else
    return address_here(*Function);
#endif
}

} // namespace skerry::inline SKERRY_ABI::detail
