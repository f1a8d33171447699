// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The end of all tasks that a latch counts, as a wait sees it.
struct latch_done {
    latch<machine>& pending;

    bool done() const noexcept { return pending.done(); }
    bool arm(bell& b) noexcept { return pending.arm(&b); }
    void disarm() noexcept { pending.disarm(); }
};

// For a waiter that got no slot: it sleeps without helping. Whoever makes the condition true must ring the bell.
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
