// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine policy of simulated cores. The members of `native`, each an action of the simulated machine: its clock
// advances, its caches and its network are asked. Atomics are the compiler's: the program is compiled with
// -fsanitize=thread, and the simulator's hooks stand in for the instructions. On cores whose caches are not coherent an
// acquire, a release or a read-modify-write goes to the cache that all cores share; a relaxed access is a plain one and
// may see what the core held before.
//
// The functions are defined with the simulated port (sim/port), so this header needs nothing of the simulator.

#include <cstddef>
#include <cstdint>
#include <new>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/sync/atomic.hpp>
#include <skerry/detail/sync/coherence_step.hpp>
#include <skerry/detail/sync/heavy_fence.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct sim {
    template <class T>
    using atomic = detail::atomic<T>;

    static constexpr std::size_t initial_capacity = 256;
    static constexpr std::size_t most_nested = 1000;
    static constexpr std::size_t most_slots() noexcept { return std::size_t{1} << 16; }
    static void* reserve(std::size_t bytes) noexcept { return ::operator new(bytes, std::nothrow); }
    static bool commit(void* /*begin*/, std::size_t /*bytes*/) noexcept { return true; }
    static void give_back(void* begin, std::size_t /*bytes*/) noexcept { ::operator delete(begin); }
    static constexpr int gate_spins = 100;
    static constexpr int fence_spins = 4000;
    static constexpr int queue_looks = 1024;

    // The simulated heap takes what is freed out of all caches, so that no late write-back reaches the next owner.
    static constexpr bool keeps_blocks = false;

    // Under the protocols for caches kept by software only the owner and its core's handler read the page, and a plain
    // store need not leave the core. Coherent simulated cores see each other's stores in the order of the program.
    static constexpr memory_order owner_release = memory_order::relaxed;

    static void light_fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
    // Cores execute in order and keep no store back: an atomic access is over when the next one begins, and there is
    // nothing to wait for. The heavy fence costs what an interrupt does.
    static void full_fence() noexcept { light_fence(); }
    SKERRY_EXPORT static detail::heavy_fence heavy_fence() noexcept;
    // As the machine's description says.
    SKERRY_EXPORT static bool coherent() noexcept;
    // Thieves read an owner's page.
    static bool asymmetric() noexcept { return coherent(); }
    static constexpr const char* asymmetric_needs =
        "the caches of this machine are not coherent; use automatic, locked or interrupt";
    static void after_fork() noexcept {}

    SKERRY_EXPORT static void pause() noexcept;
    SKERRY_EXPORT static void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
    SKERRY_EXPORT static void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected,
                                             std::uint64_t timeout_ns) noexcept;
    SKERRY_EXPORT static void futex_wake(atomic<std::uint32_t>& word, int count) noexcept;

    SKERRY_EXPORT static void publish_all(coherence_step step) noexcept;
    SKERRY_EXPORT static void discard_all(coherence_step step) noexcept;
    SKERRY_EXPORT static void publish(const void* first, std::size_t bytes, coherence_step step) noexcept;
    SKERRY_EXPORT static void discard(const void* first, std::size_t bytes, coherence_step step) noexcept;
    SKERRY_EXPORT static void allow_stale_begin() noexcept;
    SKERRY_EXPORT static void allow_stale_end() noexcept;

    // An event for the host of the simulation, if it listens (sim/port/trace.hpp): no simulated cycle. As a
    // trace_buffer's put().
    SKERRY_EXPORT static void note(std::uint16_t event, std::uint64_t task, std::uint64_t argument,
                                   std::uint16_t detail) noexcept;

    // A region of interest (interest.hpp) begins or ends here. They nest.
    SKERRY_EXPORT static void interest_begins() noexcept;
    SKERRY_EXPORT static void interest_ends() noexcept;

    static constexpr unsigned max_cores = 1024;
    static constexpr bool interrupts() noexcept { return true; }
    // As the machine's description says.
    SKERRY_EXPORT static bool has_interrupts() noexcept;
    SKERRY_EXPORT static unsigned core() noexcept;
    SKERRY_EXPORT static void mask_interrupts() noexcept;
    SKERRY_EXPORT static void unmask_interrupts() noexcept;
    SKERRY_EXPORT static bool interrupt(unsigned core) noexcept;
    SKERRY_EXPORT static void on_interrupt(void (*handler)(unsigned sender)) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
