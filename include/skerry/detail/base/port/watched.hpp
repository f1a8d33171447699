// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether -fsanitize=thread watches every access to memory: ThreadSanitizer does, and the simulator, whose clock counts
// them.
#if defined(__SANITIZE_THREAD__)
#define SKERRY_ACCESSES_ARE_WATCHED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKERRY_ACCESSES_ARE_WATCHED
#endif
#endif
#ifdef SKERRY_ACCESSES_ARE_WATCHED
inline constexpr bool accesses_are_watched = true;
#else
inline constexpr bool accesses_are_watched = false;
#endif

// Whether what a byte of padding holds is looked at where it is handed on: MemorySanitizer and Clang's analyzer do.
#if defined(__clang_analyzer__)
inline constexpr bool padding_is_watched = true;
#elif defined(__has_feature)
#if __has_feature(memory_sanitizer)
inline constexpr bool padding_is_watched = true;
#else
inline constexpr bool padding_is_watched = false;
#endif
#else
inline constexpr bool padding_is_watched = false;
#endif

} // namespace skerry::inline SKERRY_ABI::detail
