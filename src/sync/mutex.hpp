// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lock of one word for short sections that any number of threads may wait for (Drepper, "Futexes Are Tricky", the
// third mutex). Unlike a deque's gate, everyone who comes waits.
//
// Thread safety: any thread. Works with std::lock_guard and std::unique_lock.
//
// Invariants
//  1. word_ is `open`, `closed`, or `waited` (closed, and somebody may sleep).
//  2. Whoever opens a lock that was `waited` wakes one sleeper; that one closes it as `waited` again, so that it wakes
//     the next. Hence no sleeper is forgotten.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/coherence_step.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class mutex {
  public:
    mutex() = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    [[nodiscard]] bool try_lock() noexcept {
        std::uint32_t seen = open;
        const bool locked = word_.compare_exchange_strong(seen, closed, memory_order::acquire, // L1 <- L3
                                                          memory_order::relaxed);
        if (locked) {
            M::discard_all(coherence_step::gate_entered);
        }
        return locked;
    }

    // Ends when the sections before have ended: a section must not wait for another thread.
    void lock() noexcept {
        if (!try_lock()) [[unlikely]] {
            wait();
        }
    }

    void unlock() noexcept {
        M::publish_all(coherence_step::gate_left);
        if (word_.exchange(open, memory_order::release) == waited) [[unlikely]] { // L3 -> L1, L2
            M::futex_wake(word_, 1);
        }
    }

  private:
    void wait() noexcept {
        for (int i = 0; i < M::gate_spins; ++i) {
            if (word_.load(memory_order::acquire) == open && try_lock()) {
                return;
            }
            M::pause();
        }
        while (word_.exchange(waited, memory_order::acquire) != open) { // L2 <- L3
            M::futex_wait(word_, waited);
        }
        M::discard_all(coherence_step::gate_entered);
    }

    static constexpr std::uint32_t open = 0;
    static constexpr std::uint32_t closed = 1;
    static constexpr std::uint32_t waited = 2;

    typename M::template atomic<std::uint32_t> word_{open};
};

} // namespace skerry::inline SKERRY_ABI::detail
