// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether a pointer in memory, read once where this stands, is greater than another one. On x86-64 reading and
// comparing are one instruction; of an atomic or volatile access compilers make two.
template <class T>
[[gnu::__always_inline__]] inline bool exceeds_here(T* const& place, T* than) noexcept {
#if defined(__x86_64__) && defined(__GCC_ASM_FLAG_OUTPUTS__)
    bool greater;
    asm volatile("{cmp %[than], %[place]|cmp %[place], %[than]}"
                 : "=@cca"(greater)
                 : [than] "r"(than), [place] "m"(place));
    return greater;
#else
    return *const_cast<T* const volatile*>(&place) > than;
#endif
}

} // namespace skerry::inline SKERRY_ABI::detail
