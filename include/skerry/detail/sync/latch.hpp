// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts tasks down and lets one thread wait for the last. Two words, because the last task must not touch the latch
// after the waiter may leave: the count says who is last, the join word says that the last has gone.
//
// Thread safety: add, arrive: any thread that holds a count, or knows that the waiter cannot have looked yet. The rest:
// the waiter.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/memory_order.hpp>
#include <skerry/detail/sync/join_word.hpp>

namespace skerry::inline SKERRY_ABI::detail {

template <class M>
class latch {
  public:
    // The waiter holds the first count, and `ahead` more that it gives to tasks.
    explicit latch(std::size_t ahead = 0) noexcept : count_(1 + ahead) { word_.begin(nullptr); }

    void add(std::size_t n = 1) noexcept {
        count_.fetch_add(n, memory_order::relaxed); // relaxed: a count that the waiter must see is there before
    }

    // Returns the sleeper to deliver to, or null. The latch may be gone when this returns.
    [[nodiscard]] void* arrive(std::size_t n = 1) noexcept {
        return count_.fetch_sub(n, memory_order::acq_rel) == n ? word_.finish() : nullptr; // L1 -> L1, J2
    }

    // Whether nothing is counted but the waiter, who holds `ahead` more counts. Precondition: nobody adds but the
    // waiter, what it has begun, and who did so before the waiter could look.
    [[nodiscard]] bool alone(std::size_t ahead = 0) const noexcept {
        return count_.load(memory_order::acquire) == 1 + ahead; // L2 <- L1
    }

    [[nodiscard]] bool done() const noexcept { return word_.done(); }
    [[nodiscard]] bool arm(void* sleeper) noexcept { return word_.try_wait(sleeper); }
    [[nodiscard]] bool disarm() noexcept { return word_.stop_waiting(nullptr); }

    // For another round. Precondition: done() or alone(), and nobody else holds a count.
    void reset() noexcept {
        count_.store(1, memory_order::release);
        word_.begin(nullptr);
    }

  private:
    typename M::template atomic<std::size_t> count_;
    join_word<M> word_;
};

} // namespace skerry::inline SKERRY_ABI::detail
