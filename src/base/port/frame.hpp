// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where things lie on a thread's stack, which grows towards lower addresses on every processor of the port.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The caller's frame.
[[gnu::always_inline]] inline const void* this_frame() noexcept { return __builtin_frame_address(0); }

// Whether an object lies in one of the calling thread's frames that are newer than `older`. Null: there is none. False
// also of what AddressSanitizer keeps elsewhere to find uses after a return.
[[gnu::always_inline]] inline bool lies_above(const void* older, const void* object) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(object);
    return at < reinterpret_cast<std::uintptr_t>(older) && at > reinterpret_cast<std::uintptr_t>(this_frame());
}

} // namespace skerry::inline SKERRY_ABI::port
