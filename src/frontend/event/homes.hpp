// SPDX-License-Identifier: Apache-2.0
#pragma once

// The short ways of cores that work at home (homes.cpp). Thread safety: the core, outside of its gate.

#include <bit>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"

namespace skerry::inline SKERRY_ABI::detail {

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

// Inside of the gate. `last`: the queue that it has received from, whose turn goes on if nothing comes before. False:
// nothing of its own comes next.
inline bool event_machine::choose_at_home(int core, event_home& mine, unsigned most, event_queue* last,
                                          delivery& d) noexcept {
    home_ready& ready = *mine.ready;
    const std::uint64_t decisions = mine.decisions.load(memory_order::relaxed) + 1 + (mine.granted - mine.left);
    mine.decisions.store(decisions, memory_order::relaxed);
    mine.left = mine.granted = static_cast<unsigned>(decisions_for_a_look - 1 - decisions % decisions_for_a_look);
    if (decisions % decisions_for_a_look == 0 || (last == nullptr && ready.priorities() == 0)) [[unlikely]] {
        exchange_mail(core, decisions);
        last = last != nullptr && last->listed ? nullptr : last; // by what has arrived
    }
    if (mine.asking.load(memory_order::relaxed) != 0) [[unlikely]] {
        lend(core, mine, last == nullptr && mine.borrowed.empty());
    }
    const bool alone = !scheduler_.any_shared() && suspensions_ == nullptr && mine.borrowed.empty();
    mine.quiet = alone && sleeping_ == 0 && open_places_ == 0 && !has_duties(core) && !offers() && !watches_calls();
    event_queue* q = last;
    bool borrowed = false;
    if (last == nullptr || !alone || last->turn >= ready_set::turn_events ||
        (ready.priorities() & ~(1U << last->priority)) != 0) {
        if (last != nullptr && !last->listed) {
            ready.put(*last);
        }
        const unsigned own = ready.priorities();
        if (own == 0 && mine.borrowed.empty()) {
            return false;
        }
        q = alone && (own & (own - 1)) == 0
                ? static_cast<event_queue*>(&ready.first(static_cast<unsigned>(std::countr_zero(own))))
                : choose_among(core, own, decisions);
        if (q == nullptr) {
            return false;
        }
        borrowed = q->home != core;
        if (!borrowed) {
            ready.take(*q);
        }
    }
    d.resumed = nullptr;
    d.at_home = true;
    d.borrowed = borrowed;
    mine.current = &d;
    worker::of(*current_page).trace.take_queue(trace_id(q->handle));
    if (borrowed) [[unlikely]] {
        receive_borrowed(mine, most, d);
        return true;
    }
    d.from = q;
    d.to = q->owner;
    if (most == 1 || d.to->most_events == 1) {
        d.events.front() = q->events.pop().handle();
        d.count = 1;
    } else {
        fill(*q, q->events, most, d);
    }
    q->turn = q->events.empty() ? 0 : q->turn + d.count;
    q->held = q->atomic();
    if (!q->held && !q->events.empty()) {
        ready.put(*q); // the others may be received meanwhile
    }
    return true;
}

// `nothing`: nor is anything there that is nobody's.
inline bool event_machine::next_at_home(int core, unsigned most, delivery& d, bool& nothing) noexcept {
    if (!at_home_.load(memory_order::relaxed)) { // as above
        return false;
    }
    event_home& mine = *this_event_thread.home;
    bool found = false;
    bool wakes = false;
    {
        const inside_gate inside(mine.gate);
        if (!at_home_.load(memory_order::acquire)) {
            return false;
        }
        found = choose_at_home(core, mine, most, nullptr, d);
        nothing = !found && mine.ready->priorities() == 0 && mine.borrowed.empty() && !scheduler_.any_shared() &&
                  (suspensions_ == nullptr || resumed_ == 0);
        if (nothing && has_news(core)) {
            news_.fetch_and(~(std::uint64_t{1} << core), memory_order::relaxed);
        }
        wakes = sleeping_ != 0 && !mine.ready->common.empty();
    }
    if (wakes || mine.stuck != 0) [[unlikely]] {
        end_at_home(mine, wakes);
    }
    return found;
}

inline event* event_machine::goes_on_at_home(const delivery& d) noexcept {
    event_home& mine = *this_event_thread.home;
    event_queue& q = *d.from;
    const inside_gate inside(mine.gate);
    if (!mine.quiet || mine.left == 0 || mine.asking.load(memory_order::relaxed) != 0 || !q.held || q.events.empty() ||
        q.turn >= ready_set::turn_events || (mine.ready->priorities() & ~(1U << q.priority)) != 0 ||
        q.events.first()->group.any()) {
        return nullptr;
    }
    event& e = q.events.pop();
    --mine.left;
    q.turn = q.events.empty() ? 0 : q.turn + 1;
    return &e;
}

// False: received() has to do it, since what the core receives is counted, or its queue has another owner now.
inline bool event_machine::received_at_home(int core, delivery& d, unsigned most, delivery* next,
                                            bool& found) noexcept {
    event_home& mine = *this_event_thread.home;
    bool wakes = false;
    {
        const inside_gate inside(mine.gate);
        if (!d.at_home) {
            return false;
        }
        event_queue& q = *d.from;
        event_queue* goes_on = nullptr;
        if (d.borrowed || q.home != core) [[unlikely]] { // in the second case it had another owner meanwhile
            if (!d.borrowed || (q.lent.empty() && !give_back(mine, q))) {
                return false;
            }
        } else {
            q.held = false;
            goes_on = q.events.empty() || q.listed ? nullptr : &q;
        }
        d.at_home = false;
        mine.current = nullptr;
        found = next != nullptr && !has_duties(core) && choose_at_home(core, mine, most, goes_on, *next);
        if (!found && goes_on != nullptr && !q.listed) {
            mine.ready->put(q);
        }
        wakes = sleeping_ != 0 && !mine.ready->common.empty();
    }
    if (wakes || mine.stuck != 0) [[unlikely]] {
        end_at_home(mine, wakes);
    }
    return true;
}

} // namespace skerry::inline SKERRY_ABI::detail
