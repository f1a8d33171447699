// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where one thread sleeps until something it looks for may have happened. It announces that it will sleep, looks once
// more, and only then sleeps; whoever makes the thing happen looks for announced sleepers afterwards. Between the two
// stands a full fence on both sides (or a light and a heavy one), so one of them sees the other: no lost wake-up.
//
// Who wakes a sleeper may be the last to touch it, as one team's worker that ends what another team's waits for: the
// sleeper, awake for another reason meanwhile, must not go before that. Such a waker delivers, and the sleeper awaits
// it.
//
// Thread safety: prepare, cancel and the waits belong to the sleeper; the rest may be called by any thread, but for
// deliver: by the one thread to which the sleeper's address was handed (join_word).
//
// The word is read with acquire and written with release even where the fences would do: where caches are kept by
// software, a plain store stays on its core and a plain load sees an old value for ever.
//
// Invariant: word_ is `armed`, and nothing else, only between prepare() and the first of cancel(), notify(), call() and
// deliver().

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
    bool cancel() noexcept {
        std::uint32_t seen = armed;
        word_.compare_exchange_strong(seen, awake, memory_order::acq_rel, memory_order::acquire); // <- E3
        return (seen & called) != 0;
    }

    // E2: sleeps until notified or called; true: called.
    bool wait() noexcept {
        std::uint32_t seen = word_.load(memory_order::acquire); // E2 <- E3
        while (seen == armed) {
            M::futex_wait(word_, armed);
            seen = word_.load(memory_order::acquire); // E2 <- E3
        }
        return (seen & called) != 0;
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

    // E5: as notify(), once, and the last that the caller does to it.
    void deliver() noexcept {
        if ((word_.fetch_or(delivered, memory_order::release) & (armed | awaited)) != 0) { // E5 -> E2, E6
            M::futex_wake(word_, 1); // by its address: the sleeper may be gone
        }
    }

    // E6: after a wait, until deliver() has been called. From then on nobody touches this on behalf of that wait.
    void await_delivery() noexcept {
        std::uint32_t seen = word_.load(memory_order::acquire); // E6 <- E5
        if ((seen & delivered) == 0) {
            seen = word_.fetch_or(awaited, memory_order::acq_rel) | awaited; // E6 -> E5, <- E5
        }
        while ((seen & delivered) == 0) {
            M::futex_wait(word_, seen);
            seen = word_.load(memory_order::acquire); // E6 <- E5
        }
    }

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
    static constexpr std::uint32_t awaited = 4;   // the sleeper awaits the delivery
    static constexpr std::uint32_t delivered = 8; // beside what else it is

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
