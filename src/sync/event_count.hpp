// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where one thread sleeps until something it looks for may have happened. It announces that it will sleep, looks once
// more, and only then sleeps; whoever makes the thing happen looks for announced sleepers afterwards. Between the two
// stands a full fence on both sides (or a light and a heavy one), so one of them sees the other: no lost wake-up.
//
// Thread safety: prepare, cancel and wait belong to the sleeper; notify and prepared may be called by any thread.
//
// The word is read with acquire and written with release even where the fences would do: where caches are kept by
// software, a plain store stays on its core and a plain load sees an old value for ever.
//
// Invariant: word_ is `armed` only between prepare() and the first of cancel() and notify().

#include <atomic>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class event_count {
  public:
    // E1: announces. What the sleeper looks for must be looked at after this and a fence.
    void prepare() noexcept {
        word_.store(armed, std::memory_order_release);
        M::full_fence(); // E1 before the second look: pairs with the waker's fence between the event and E3
    }

    // False: it has been notified, and whoever did so counts on the sleeper.
    bool cancel() noexcept { return word_.exchange(awake, std::memory_order_acq_rel) == armed; }

    // E2: sleeps until notified.
    void wait() noexcept {
        while (word_.load(std::memory_order_acquire) == armed) { // E2 <- E3
            M::futex_wait(word_, armed);
        }
    }

    // As wait(), but not for longer than about `timeout_ns`. For sleepers that could not get their heavy fence.
    void wait_for(std::uint64_t timeout_ns) noexcept {
        if (word_.load(std::memory_order_acquire) == armed) {
            M::futex_wait_for(word_, armed, timeout_ns);
        }
        cancel();
    }

    [[nodiscard]] bool prepared() const noexcept { return word_.load(std::memory_order_acquire) == armed; }

    // E3: wakes the sleeper if there is one, and says so. Precondition: a full fence since the event.
    bool notify() noexcept {
        std::uint32_t expected = armed;
        if (word_.load(std::memory_order_acquire) != armed ||
            !word_.compare_exchange_strong(expected, awake, std::memory_order_release, // E3 -> E2
                                           std::memory_order_relaxed)) {
            return false;
        }
        M::futex_wake(word_, 1);
        return true;
    }

    // E4: as notify(), for a waker that cannot rely on earlier ones: a process that shares the word may have been
    // killed between its compare-exchange and its wake.
    void notify_anyway() noexcept {
        word_.store(awake, std::memory_order_release); // E4 -> E2
        M::futex_wake(word_, 1);
    }

  private:
    static constexpr std::uint32_t awake = 0;
    static constexpr std::uint32_t armed = 1;

    typename M::template atomic<std::uint32_t> word_{awake};
};

} // namespace skerry::inline SKERRY_ABI::detail
