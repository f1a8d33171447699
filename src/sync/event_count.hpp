// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where one thread sleeps until something it looks for may have happened. It announces that it will sleep, looks once
// more, and only then sleeps; whoever makes the thing happen looks for announced sleepers afterwards. Between the two
// stands a full fence on both sides (or a light and a heavy one), so one of them sees the other: no lost wake-up.
//
// Thread safety: prepare, cancel and wait belong to the sleeper; notify, call and prepared may be called by any thread.
//
// The word is read with acquire and written with release even where the fences would do: where caches are kept by
// software, a plain store stays on its core and a plain load sees an old value for ever.
//
// Invariant: word_ is `armed` only between prepare() and the first of cancel(), notify() and call().

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class event_count {
  public:
    // E1: announces. What the sleeper looks for must be looked at after this and a fence.
    void prepare() noexcept {
        word_.store(armed, memory_order::release);
        M::full_fence(); // E1 before the second look: pairs with the waker's fence between the event and E3
    }

    // True: it has been called meanwhile.
    bool cancel() noexcept { return word_.exchange(awake, memory_order::acq_rel) == called; }

    // E2: sleeps until notified or called; true: called.
    bool wait() noexcept {
        std::uint32_t seen = word_.load(memory_order::acquire); // E2 <- E3
        while (seen == armed) {
            M::futex_wait(word_, armed);
            seen = word_.load(memory_order::acquire); // E2 <- E3
        }
        return seen == called;
    }

    // As wait(), but not for longer than about `timeout_ns`. For sleepers that could not get their heavy fence.
    bool wait_for(std::uint64_t timeout_ns) noexcept {
        if (word_.load(memory_order::acquire) == armed) {
            M::futex_wait_for(word_, armed, timeout_ns);
        }
        return cancel();
    }

    [[nodiscard]] bool prepared() const noexcept { return word_.load(memory_order::acquire) == armed; }

    // E3: wakes the sleeper if there is one, and says so. Precondition: a full fence since the event.
    bool notify() noexcept { return end_wait(awake); }
    // The same, and tells the sleeper so: the caller counts on it.
    bool call() noexcept { return end_wait(called); }

    // E4: as notify(), for a waker that cannot rely on earlier ones: a process that shares the word may have been
    // killed between its compare-exchange and its wake.
    void notify_anyway() noexcept {
        word_.store(awake, memory_order::release); // E4 -> E2
        M::futex_wake(word_, 1);
    }

  private:
    static constexpr std::uint32_t awake = 0;
    static constexpr std::uint32_t armed = 1;
    static constexpr std::uint32_t called = 2;

    bool end_wait(std::uint32_t how) noexcept {
        std::uint32_t expected = armed;
        if (word_.load(memory_order::acquire) != armed ||
            !word_.compare_exchange_strong(expected, how, memory_order::release, // E3 -> E2
                                           memory_order::relaxed)) {
            return false;
        }
        M::futex_wake(word_, 1);
        return true;
    }

    typename M::template atomic<std::uint32_t> word_{awake};
};

} // namespace skerry::inline SKERRY_ABI::detail
