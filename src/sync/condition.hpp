// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where threads wait, under a mutex, for what another thread will make true.
//
// Thread safety: wait() and wait_for() with the lock held; the rest by any thread.
//
// Invariant: whoever makes a waiter's condition true does so under the lock and notifies afterwards; turn_ has moved
// since the waiter let the lock go, so the waiter does not sleep or is woken.

#include <cstdint>
#include <mutex>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class condition {
  public:
    // Sleeps until `done()`, which is called with the lock held.
    template <class Lock, class Done>
    void wait(std::unique_lock<Lock>& lock, Done&& done) {
        while (!done()) {
            const std::uint32_t seen = turn_.load(memory_order::acquire); // C1, before the lock opens
            lock.unlock();
            M::futex_wait(turn_, seen);
            lock.lock();
        }
    }

    // The same for a limited time: until `done()`, or until `time_left_ns()` gives 0. Both are called with the lock
    // held.
    template <class Lock, class Done, class Left>
    void wait_for(std::unique_lock<Lock>& lock, Done&& done, Left&& time_left_ns) {
        while (!done()) {
            const std::uint64_t left = time_left_ns();
            if (left == 0) {
                return;
            }
            const std::uint32_t seen = turn_.load(memory_order::acquire); // C1, before the lock opens
            lock.unlock();
            M::futex_wait_for(turn_, seen, left);
            lock.lock();
        }
    }

    void notify_one() noexcept { notify(1); }
    void notify_all() noexcept { notify(1 << 30); }

  private:
    void notify(int count) noexcept {
        turn_.fetch_add(1, memory_order::release); // C2 -> C1
        M::futex_wake(turn_, count);
    }

    typename M::template atomic<std::uint32_t> turn_{0};
};

} // namespace skerry::inline SKERRY_ABI::detail
