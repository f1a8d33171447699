// SPDX-License-Identifier: Apache-2.0
#pragma once

// The short ways of cores that work at home (at_home.cpp). Thread safety: the core, outside of its gate.

#include <bit>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Calls f(core) for each bit.
template <class F>
void each_core(std::uint64_t bits, F&& f) {
    for (; bits != 0; bits &= bits - 1) {
        f(std::countr_zero(bits));
    }
}

inline bool event_machine::send_from_home(event& e, em_queue_t to) noexcept {
    const event_thread& self = this_event_thread;
    event_home& mine = *self.home;
    bool done = true;
    bool wakes = false;
    {
        const inside_gate inside(mine.gate);
        if (!mine.quiet && (!at_home_.load(memory_order::acquire) || open_places_ != 0)) { // before all that it guards
            return false;
        }
        event_queue* const q = queue(to);
        if (q == nullptr || q->home < 0 || self.starting != nullptr) {
            return false;
        }
        if (q->home == self.core) [[likely]] {
            q->events.push(e);
            if (!q->held && !q->listed) {
                mine.ready->put(*q);
                wakes = (sleeping_ & q->group->mask) != 0;
            }
        } else {
            done = send_away_from_home(mine, e, *q);
        }
    }
    if (wakes) [[unlikely]] {
        pass_on();
    }
    return done;
}

inline event* event_machine::goes_on_at_home(const delivery& d) noexcept {
    event_home& mine = *this_event_thread.home;
    event_queue& q = *d.from;
    const inside_gate inside(mine.gate);
    if (!mine.quiet || mine.left == 0 || mine.asking.load(memory_order::relaxed) != 0 || !q.held || q.events.empty() ||
        q.turn == 0 || q.turn >= ready_set::turn_events || (mine.ready->priorities() & ~(1U << q.priority)) != 0 ||
        q.events.first()->group.any()) {
        return nullptr;
    }
    event& e = q.events.pop();
    --mine.left;
    q.turn = q.events.empty() ? 0 : q.turn + 1;
    return &e;
}

} // namespace skerry::inline SKERRY_ABI::detail
