// SPDX-License-Identifier: Apache-2.0

// Who receives what, and who sleeps.

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/homes.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// --- cores that sleep -----------------------------------------------------------------------------------------------

void event_machine::wake(int core, wake_ups& w) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << core;
    if ((sleeping_ & bit) != 0) {
        sleeping_ &= ~bit;
        w.add(*bells_[static_cast<std::size_t>(core)]);
    }
}

void event_machine::wake_one(std::uint64_t cores, wake_ups& w) noexcept {
    if (const std::uint64_t able = sleeping_ & cores) {
        wake(std::countr_zero(able), w);
    }
}

std::uint64_t event_machine::note() noexcept {
    const std::uint64_t ready = scheduler_.cores();
    // relaxed: written under the lock
    const std::uint64_t now = ready | local_ | resumed_ | duties_.load(memory_order::relaxed);
    if (now != wanted_.load(memory_order::relaxed)) {
        wanted_.store(now, memory_order::release);
    }
    if (at_home_.load(memory_order::relaxed)) { // as above
        const std::uint64_t news = scheduler_.cores(false);
        if ((news & ~news_.load(memory_order::relaxed)) != 0) {
            news_.fetch_or(news, memory_order::relaxed);
        }
    }
    return ready;
}

bool event_machine::arm(int core, bell& b, bool naps) {
    wake_ups w;
    const std::lock_guard lock(lock_);
    if (any_ready(core) || (!naps && !stalled_outputs_.empty())) {
        return false;
    }
    bells_[static_cast<std::size_t>(core)] = &b;
    sleeping_ |= std::uint64_t{1} << core;
    wake_one(scheduler_.cores(), w); // what another one may take
    return true;
}

bool event_machine::disarm(int core) noexcept {
    const std::lock_guard lock(lock_);
    const std::uint64_t bit = std::uint64_t{1} << core;
    return (std::exchange(sleeping_, sleeping_ & ~bit) & bit) != 0;
}

void event_machine::pass_on() noexcept {
    wake_ups w;
    const std::lock_guard lock(lock_);
    wake_one(stalled_outputs_.empty() ? scheduler_.cores() : sleeping_, w);
}

// --- lists ----------------------------------------------------------------------------------------------------------

std::uint64_t event_machine::list(event_queue& q) noexcept {
    const bool has = q.scheduled() && q.open && !q.events.empty();
    if (q.atomics == nullptr) {
        if (!has || q.held || q.listed) {
            return 0;
        }
        if (q.home >= 0 && (!at_home_.load(memory_order::relaxed) || (working_ >> q.home & 1) == 0)) { // as above
            q.home = -1;
        }
        scheduler_.ready(q);
        return q.group->mask;
    }
    atomic_group& all = *q.atomics;
    if (has && !q.listed) {
        all.ready.put(q, turns_);
    }
    if (all.held || all.ready.empty()) {
        return 0;
    }
    const unsigned best = all.ready.highest();
    if (all.listed && all.priority == best) {
        return 0;
    }
    if (all.listed) {
        scheduler_.withdraw(all);
    }
    all.turn = all.priority == best ? all.turn : 0;
    all.priority = best;
    scheduler_.ready(all);
    return all.group->mask;
}

void event_machine::unlist(event_queue& q) noexcept {
    if (!q.listed) {
        return;
    }
    if (q.atomics == nullptr) {
        scheduler_.withdraw(q);
        return;
    }
    atomic_group& all = *q.atomics;
    all.ready.take(q);
    if (all.listed && (all.ready.empty() || all.ready.highest() != all.priority)) {
        scheduler_.withdraw(all);
        if (!all.ready.empty()) {
            all.turn = 0;
            all.priority = all.ready.highest();
            scheduler_.ready(all);
        }
    }
}

void event_machine::close(event_queue& q, event_list& dropped) noexcept {
    count_all(); // who waits for the end of receive functions
    unlist(q);
    q.home = -1; // which is not for what is closed
    q.open = false;
    event_list lie = q.events.take_all();
    dropped.append(lie);
    for (std::size_t core = 0; q.elsewhere != 0 && core < static_cast<std::size_t>(core_count()); ++core) {
        purge(locals_[core], q, dropped);
        for (ordered_place& p : places_[core].all) {
            purge(p.own, q, dropped);
            purge(p.after, q, dropped);
        }
        if (locals_[core].empty()) {
            local_ &= ~(std::uint64_t{1} << core);
        }
    }
    if (suspensions_ != nullptr && q.elsewhere != 0) {
        suspensions_->each_list([&](event_list& of) { purge(of, q, dropped); });
    }
    note();
}

void event_machine::purge(event_list& from, event_queue& q, event_list& dropped) noexcept {
    event_list all = from.take_all();
    while (!all.empty()) {
        event& e = all.pop();
        if (e.to == &q) {
            --q.elsewhere;
            dropped.push(e);
        } else {
            from.push(e);
        }
    }
}

// --- a core receives ------------------------------------------------------------------------------------------------

void event_machine::fill(event_queue& q, event_list& from, unsigned most, delivery& d) noexcept {
    most = std::min(most, q.owner->most_events);
    d.from = &q;
    d.to = q.owner;
    d.count = 0;
    group_tag group;
    const bool all_its = &from == &q.events || &from == &q.lent;
    while (d.count < most && !from.empty() && (all_its || from.first()->to == &q)) {
        if (d.count != 0 && from.first()->group != group) {
            break; // what is received together counts for one event group
        }
        group = from.first()->group;
        d.events[d.count++] = from.pop().handle();
    }
}

// Who waits for the end of receive functions waits for this one, too.
void event_machine::count_in(int core, const delivery& d) noexcept {
    ++d.from->receiving;
    ++d.to->receiving;
    if (d.from->group != nullptr) {
        d.from->group->inside |= std::uint64_t{1} << core;
    }
}

schedulable& event_machine::next_queue_of(atomic_group& g) const noexcept {
    return g.ready.first(g.guard.next(g.ready.priorities(), options_.starvation));
}

bool event_machine::choose(int core, unsigned most, delivery& d, ordered_place& place, wake_ups& w) noexcept {
    core_fibers* const mine = fibers(core);
    const event_scheduler::choice choice =
        scheduler_.choose(core, mine != nullptr ? mine->resumed.priorities() : 0, works_at_home(core));
    d.resumed = nullptr;
    d.borrowed = false;
    if (choice.goes_on) {
        d.resumed = &take_resumed(core, choice.priority);
        wake_one(note(), w);
        return true;
    }
    schedulable* const chosen = choice.from;
    if (chosen == nullptr) {
        return false;
    }
    const bool alone = chosen->what == schedulable::kind::queue;
    atomic_group* const all = alone ? nullptr : static_cast<atomic_group*>(chosen);
    event_queue& q = static_cast<event_queue&>(alone ? *chosen : next_queue_of(*all));
    fill(q, q.events, most, d);
    worker::of(*current_page).trace.take_queue(trace_id(q.handle));
    chosen->turn += d.count;
    if (all != nullptr) {
        all->ready.take(q);
        q.turn += d.count;
        all->held = true;
    }
    if (q.events.empty()) { // its turn is over
        q.turn = 0;
        if (all != nullptr && all->ready.empty()) {
            all->turn = 0;
        }
    }
    q.held = alone && q.atomic();
    d.at_home = d.chosen_at_home = settle(core, q);
    if (d.at_home) {
        home(core).current = &d;
    } else {
        count_in(core, d);
    }
    if (q.ordered()) {
        place.source = &q;
        q.places.push_back(place);
        ++open_places_;
    }
    list(q); // of a parallel queue the others
    wake_one(note(), w);
    return true;
}

bool event_machine::next(int core, unsigned most, bool waits, delivery& d) noexcept {
    delivery& asked = ahead_[static_cast<std::size_t>(core)];
    while (asked.from != nullptr) {
        event_list dropped;
        {
            const std::lock_guard lock(lock_);
            d = asked;
            asked.from = nullptr;
            places_[static_cast<std::size_t>(core)].current ^= 1;
            if (d.from->open) { // received() has woken a core for what else there is
                return true;
            }
            for (const em_event_t e : std::span(d.events).first(d.count)) {
                dropped.push(*event::of(e));
            }
        }
        free_unreceived(dropped, "em_dispatch", EM_ESCOPE_DISPATCH);
        received(core, d, d.from->atomic());
    }
    if (this_event_thread.works) {
        bool nothing = false;
        bool found = next_at_home(core, most, d, nothing);
        if (!found && nothing && waits) {
            found = await_others(core, most, d);
        }
        if (found) {
            return true;
        }
    }
    wake_ups w;
    const std::lock_guard lock(lock_);
    return choose(core, most, d, place_of(core), w);
}

void event_machine::ask_ahead(int core) noexcept {
    if (options_.asynchronous == 0 || has_asked(core) || has_duties(core)) { // which come first, and may wait
        return;
    }
    delivery& asked = ahead_[static_cast<std::size_t>(core)];
    {
        two_places& places = places_[static_cast<std::size_t>(core)];
        wake_ups w;
        const std::lock_guard lock(lock_);
        if (!choose(core, 1, asked, places.all[places.current ^ 1], w)) {
            return;
        }
    }
    __builtin_prefetch(event::of(asked.events[0])->payload());
    __builtin_prefetch(asked.from->context.load(memory_order::acquire));
}

bool event_machine::take_local(int core, unsigned most, delivery& d) noexcept {
    const std::lock_guard lock(lock_);
    event_list& mine = locals_[static_cast<std::size_t>(core)];
    if (mine.empty()) {
        return false;
    }
    event_queue& q = *mine.first()->to;
    fill(q, mine, most, d);
    count_in(core, d);
    q.elsewhere -= d.count;
    if (mine.empty()) {
        local_ &= ~(std::uint64_t{1} << core);
        note();
    }
    return true;
}

void event_machine::leave(const delivery& d, endings& over, wake_ups& w) noexcept {
    if (--d.from->receiving == 0 && d.from->leaving != nullptr) {
        end_leaving(*d.from, over);
    }
    if (count_out(*d.to, w)) {
        over.stopped = d.to;
    }
}

bool event_machine::received(int core, delivery& d, bool holds, unsigned most, delivery* next) noexcept {
    endings over;
    bool drains = false;
    bool found = false;
    if (this_event_thread.works && received_at_home(core, d, most, next, found)) {
        return found;
    }
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        count_own(core);
        event_queue& q = *d.from;
        if (holds) {
            (q.atomics != nullptr ? q.atomics->held : q.held) = false;
            list(q);
        }
        if (ordered_place& p = place_of(core); p.source != nullptr) {
            end_place(p, w);
        }
        const std::uint64_t bit = std::uint64_t{1} << core;
        const event_queue* const asked = ahead_[static_cast<std::size_t>(core)].from;
        if ((asked == nullptr || asked->group != q.group) && q.group->suspended[static_cast<std::size_t>(core)] == 0) {
            q.group->inside &= ~bit;
        }
        if (q.group->shown != q.group->mask || !q.group->when_changed.empty()) {
            over.changed = end_change(*q.group);
        }
        leave(d, over, w);
        drains = !outputs_.empty();
        const bool looks_at_once = asked == nullptr && !drains && !over.any() && !has_duties(core);
        found = looks_at_once && next != nullptr && !at_home_.load(memory_order::relaxed) &&
                choose(core, most, *next, place_of(core), w);
        if (!found) {
            const std::uint64_t ready = note();
            // What the core does before it looks again may take long, and perhaps it may not take what it has listed.
            if (!looks_at_once || conf_.input.input_poll_fn != nullptr || conf_.output.output_drain_fn != nullptr ||
                (q.group->mask & bit) == 0) {
                wake_one(ready, w);
            }
        }
    }
    if (drains) {
        drain_outputs();
    }
    if (over.any()) [[unlikely]] {
        end(over);
    }
    return found;
}

void event_machine::received_local(const delivery& d) noexcept {
    endings over;
    {
        wake_ups w;
        const std::lock_guard lock(lock_);
        leave(d, over, w);
    }
    end(over);
}

void event_machine::end(endings& over) noexcept {
    send_notices(over.changed);
    send_notices(over.removed);
    if (over.stopped != nullptr) {
        finish_stop(*over.stopped);
    }
}

void event_machine::let_go(event_queue& q) noexcept {
    wake_ups w;
    const std::lock_guard lock(lock_);
    (q.atomics != nullptr ? q.atomics->held : q.held) = false;
    wake_one(list(q), w);
    note();
}

// --- whose call waits for what --------------------------------------------------------------------------------------

// relaxed, both: what descends from a call was begun after it had been noted, and ends before it is over
void event_machine::calls(int core, const context* under) noexcept {
    calls_[static_cast<std::size_t>(core)].store(under, memory_order::relaxed);
}

int event_machine::core_that_waits_for(const context* under) const noexcept {
    for (const context* c = under; c != nullptr; c = c->parent) {
        for (std::size_t core = 0; core < static_cast<std::size_t>(core_count()); ++core) {
            if (calls_[core].load(memory_order::relaxed) == c) {
                return static_cast<int>(core);
            }
        }
    }
    return -1;
}

} // namespace skerry::inline SKERRY_ABI::detail
