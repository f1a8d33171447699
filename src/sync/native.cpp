// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/sync/native.hpp>

#include "base/port/futex.hpp"
#include "base/port/membarrier.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// One barrier at a time: each interrupts every core that runs a thread of the process.
constinit std::atomic_flag barrier_in_flight{};

} // namespace

bool native::asymmetric() noexcept {
#ifdef SKERRY_LOCKED_STEAL
    return false;
#else
    static const bool works = port::register_membarrier();
    return works;
#endif
}

bool native::heavy_fence() noexcept {
    if (barrier_in_flight.test_and_set(std::memory_order_acquire)) {
        return false;
    }
    const bool done = port::heavy_barrier();
    barrier_in_flight.clear(std::memory_order_release);
    return done;
}

void native::after_fork() noexcept { barrier_in_flight.clear(std::memory_order_relaxed); }

void native::futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    port::futex_wait(&word, expected);
}

void native::futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    port::futex_wait(&word, expected, timeout_ns);
}

void native::futex_wake(atomic<std::uint32_t>& word, int count) noexcept { port::futex_wake(&word, count); }

} // namespace skerry::inline SKERRY_ABI::detail
