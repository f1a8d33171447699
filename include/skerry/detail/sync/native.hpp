// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine policy of coherent hardware threads. Every lock-free structure takes a policy as its first template
// parameter, so that the same source runs here, under the explorer in test/model and on simulated cores. A policy has
// the members of `native`; what a machine does not need compiles to nothing.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/port/pause.hpp>
#include <skerry/detail/sync/atomic.hpp>
#include <skerry/detail/sync/coherence_step.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct native {
    template <class T>
    using atomic = detail::atomic<T>;

    // Slots of a new deque. Enough for every fork-join program of sane depth; the deque grows beyond.
    static constexpr std::size_t initial_capacity = 1024;

    // How deep contexts may be nested on one worker before what is forked further in stays there
    // (src/sched/nested_contexts.hpp).
    static constexpr std::size_t most_nested = 1000;

    // The most slots of a deque, a power of two: 2^27, which is a gigabyte of addresses; less where `ulimit -v` is set.
    SKERRY_EXPORT static std::size_t most_slots() noexcept;

    // Room for the slots of a deque: addresses that hold nothing before commit(). Null, false: there is none.
    SKERRY_EXPORT static void* reserve(std::size_t bytes) noexcept;
    [[nodiscard]] SKERRY_EXPORT static bool commit(void* begin, std::size_t bytes) noexcept;
    SKERRY_EXPORT static void give_back(void* begin, std::size_t bytes) noexcept; // all of a reserve()

    // Whether memory may go from one task to the next without a call of the heap.
    static constexpr bool keeps_blocks = true;

    // How an owner stores the words of its page that thieves read, `bottom` above all.
    static constexpr memory_order owner_release = memory_order::release;

    // How often a waiting owner looks at its gate before it sleeps.
    static constexpr int gate_spins = 100;

    // How often who needs a heavy fence looks for one, others' included, before it does without: one takes
    // microseconds, unless whoever makes it loses its processor.
    static constexpr int fence_spins = 4000;

    // How many tasks of the queue from outside a thread looks at in a search, under the queue's lock.
    static constexpr int queue_looks = 1024;

    // Keeps the compiler from moving memory operations across. Together with heavy_fence() of another thread it orders
    // a store before a later load, as a full fence on both sides would.
    static void light_fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

    // Makes every running thread of the process pass a full fence. Microseconds: for thieves and sleepers only. One is
    // in flight per process; a second caller is told so at once and must do without. Precondition: asymmetric().
    SKERRY_EXPORT static detail::heavy_fence heavy_fence() noexcept;

    // Whether heavy_fence() works in this process. Constant after the first call.
    SKERRY_EXPORT static bool asymmetric() noexcept;

    // What a machine without it lacks, for a message.
    static constexpr const char* asymmetric_needs =
        "this kernel or sandbox refuses the expedited membarrier; use automatic or locked";

    // In the child of a fork: a barrier that another thread had in flight is nobody's here.
    static void after_fork() noexcept;

    static void full_fence() noexcept { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

    static void pause() noexcept { detail::pause(); }

    // Sleeps while word == expected; may return at any time. `timeout_ns` counts from the call.
    SKERRY_EXPORT static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
    SKERRY_EXPORT static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                                             std::uint64_t timeout_ns) noexcept;
    SKERRY_EXPORT static void futex_wake(atomic<std::uint32_t>& word, int count) noexcept;

    // Whether cores see each other's stores without help.
    static constexpr bool coherent() noexcept { return true; }

    // Software coherence: hardware does it here. publish() makes what the calling core has written visible to others,
    // discard() makes its next reads see what others have published.
    static void publish_all(coherence_step) noexcept {}
    static void discard_all(coherence_step) noexcept {}
    static void publish(const void*, std::size_t, coherence_step) noexcept {}
    static void discard(const void*, std::size_t, coherence_step) noexcept {}

    // Reads between these may see old values (a benign race).
    static void allow_stale_begin() noexcept {}
    static void allow_stale_end() noexcept {}

    // User-level interrupts: there are none here. Masks nest.
    static constexpr unsigned max_cores = 1;
    static constexpr bool interrupts() noexcept { return false; }
    static constexpr bool has_interrupts() noexcept { return false; }
    static void interest_begins() noexcept {}
    static void interest_ends() noexcept {}
    static constexpr unsigned core() noexcept { return 0; }
    static void mask_interrupts() noexcept {}
    static void unmask_interrupts() noexcept {}
    // Runs the handler on `core` and waits until it has. False: it was masked there, or the core runs nothing.
    static bool interrupt(unsigned /*core*/) noexcept { return false; }
    static void on_interrupt(void (*)(unsigned sender)) noexcept {}
};

} // namespace skerry::inline SKERRY_ABI::detail
