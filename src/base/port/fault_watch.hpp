// SPDX-License-Identifier: Apache-2.0
#pragma once

// Somebody who can say more of a fault than its address.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// From now on `explain` is called on the thread that touched memory in [begin, begin + bytes) that it may not touch, in
// place of a signal handler: async-signal-safe, it takes no lock. If it returns, the fault takes its usual way. One
// range for the life of the process: a later call changes nothing. Any thread.
void watch_faults(const void* begin, std::size_t bytes, void (*explain)(const void* address) noexcept) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
