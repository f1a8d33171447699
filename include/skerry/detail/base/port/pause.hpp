// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Tells the core that this is a spin loop. It is a hint: it orders nothing and never blocks.
inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // yield is a no-op on most cores; isb waits for about as long as the x86 instruction does.
    asm volatile("isb");
#endif
}

} // namespace skerry::inline SKERRY_ABI::detail
