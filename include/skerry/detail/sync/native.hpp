// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine policy of coherent hardware threads. Every lock-free structure takes a policy as its first template
// parameter, so that the same source runs here, under the explorer in test/model and on simulated cores. A policy has
// the members of `native`; what a machine does not need compiles to nothing.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/port/pause.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct native {
    template <class T>
    using atomic = std::atomic<T>;

    // Slots of a new deque. Enough for every fork-join program of sane depth; the deque grows beyond.
    static constexpr std::size_t initial_capacity = 1024;

    // How often a waiting owner looks at its gate before it sleeps.
    static constexpr int gate_spins = 100;

    // Keeps the compiler from moving memory operations across. Together with heavy_fence() of another thread it orders
    // a store before a later load, as a full fence on both sides would.
    static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

    // Makes every running thread of the process pass a full fence. Microseconds: for thieves and sleepers only. One is
    // in flight per process; a second caller gets false at once and must do without. Precondition: asymmetric().
    SKERRY_EXPORT static bool heavy_fence() noexcept;

    // Whether heavy_fence() works in this process. Constant after the first call.
    SKERRY_EXPORT static bool asymmetric() noexcept;

    // In the child of a fork: a barrier that another thread had in flight is nobody's here.
    static void after_fork() noexcept;

    static void full_fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

    static void pause() noexcept { detail::pause(); }

    // Sleeps while word == expected; may return at any time. `timeout_ns` counts from the call.
    SKERRY_EXPORT static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
    SKERRY_EXPORT static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                                             std::uint64_t timeout_ns) noexcept;
    SKERRY_EXPORT static void futex_wake(atomic<std::uint32_t>& word, int count) noexcept;

    // Software coherence: hardware does it here.
    static void publish_all() noexcept {}
    static void discard_all() noexcept {}

    // User-level interrupts: there are none here.
    static void mask_interrupts() noexcept {}
    static void unmask_interrupts() noexcept {}
};

} // namespace skerry::inline SKERRY_ABI::detail
