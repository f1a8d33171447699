// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which lock a thread of this process waits for, and who holds it: what a debugger would show.

#include <cstdint>
#include <optional>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// The calling thread, as the system counts threads; never 0.
std::uint32_t thread_number() noexcept;

struct lock_wait {
    std::uint64_t lock;   // the address of the pthread_mutex_t, which is that of a std::mutex
    std::uint32_t holder; // thread_number()
};

// Nothing: the thread does not wait for a mutex of the GNU C library, or the system does not tell. What it says was so
// a moment ago. Any thread. A few system calls.
std::optional<lock_wait> lock_wait_of(std::uint32_t thread) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
