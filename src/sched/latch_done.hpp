// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The end of all tasks that a latch counts, as a wait sees it. The waiter gives its own count back only before it
// sleeps: until then it looks whether it is the only one, and no task need tell it that it was the last.
class latch_done {
  public:
    // `ahead`: of the waiting worker, if it may hold counts of the latch.
    explicit latch_done(latch<machine>& pending, counts_ahead* ahead = nullptr) noexcept
        : pending_(pending),
          ahead_(ahead) {}

    bool done() const noexcept { return left_ ? pending_.done() : pending_.alone(held()); }
    bool arm(bell& b) noexcept {
        if (!left_) {
            left_ = true;
            std::size_t n = 1;
            if (ahead_ != nullptr && ahead_->of == &pending_) {
                n += std::exchange(*ahead_, {}).held; // and holds none any more, also of what it runs from here on
            }
            // C3; nobody sleeps there yet, and nobody but the waiter sees its end if it is the last: nothing to publish
            static_cast<void>(pending_.arrive(n));
        }
        return pending_.arm(&b);
    }
    bool disarm() noexcept { return pending_.disarm(); }

  private:
    [[nodiscard]] std::size_t held() const noexcept { return ahead_ != nullptr ? ahead_->held_of(pending_) : 0; }

    latch<machine>& pending_;
    counts_ahead* const ahead_;
    bool left_ = false;
};

// For a waiter that got no slot: it sleeps without helping. Whoever makes the condition true must ring the bell, and
// nobody else does: once it has rung, nobody touches it any more.
template <class Condition>
void wait_without_slot(Condition& c) noexcept {
    bell b;
    while (!c.done()) {
        b.prepare();
        if (c.arm(b)) {
            b.wait();
        } else {
            b.cancel();
        }
        // The condition is true or will never ring this bell again.
    }
    machine::discard_all(coherence_step::task_joined);
}

} // namespace skerry::inline SKERRY_ABI::detail
