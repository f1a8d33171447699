// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sleeping on a 32-bit word (Linux futexes): of this process, or of memory that processes share.
//
// Preconditions: word32 is aligned to 4 bytes and mapped for the whole call; it is the storage of an atomic, and
// whoever changes the value wakes afterwards. Thread safety: any thread. futex_wake is async-signal-safe. Errors: none
// are reported; a wait may always end early, so callers check their condition again. Memory order: the kernel compares
// the word under the lock that wakers take, nothing more. Every ordering between waiter and waker is the caller's, by
// atomics on the word.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

inline constexpr std::uint64_t forever = UINT64_MAX;

// Sleeps while the word holds `expected`, at most timeout_ns. False if the time ran out; true if it was woken, if the
// word held another value, or if the wait ended for no reason (a signal).
bool futex_wait(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns = forever) noexcept;

// Wakes at most `count` of the threads that sleep on the word.
void futex_wake(const void* word32, int count) noexcept;

// The same on a word that lies in memory which several processes map. A few dozen nanoseconds slower.
bool futex_wait_shared(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns = forever) noexcept;
void futex_wake_shared(const void* word32, int count) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
