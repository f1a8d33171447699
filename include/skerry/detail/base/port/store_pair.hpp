// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether a processor writes two words side by side by one instruction that compilers do not find. Where accesses are
// watched, they are to be as the program says.
#if defined(__x86_64__)
inline constexpr bool has_store_pair = !accesses_are_watched;
#else
inline constexpr bool has_store_pair = false;
#endif

// Writes two words at `to`, whatever lies there.
[[gnu::always_inline]] inline void store_pair(void* to, std::uintptr_t first, std::uintptr_t second) noexcept {
    using pair [[gnu::vector_size(2 * sizeof(std::uintptr_t))]] = std::uintptr_t;
    const pair both = {first, second};
    __builtin_memcpy(to, &both, sizeof both);
}

} // namespace skerry::inline SKERRY_ABI::detail
