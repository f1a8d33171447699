// SPDX-License-Identifier: Apache-2.0

// What cores at home do inside of their gates: they choose, send to each other, lend and borrow.

#include <algorithm>
#include <bit>
#include <utility>

#include "base/port/clock.hpp"
#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"
#include "frontend/event/homes.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// --- receiving at home -----------------------------------------------------------------------------------------------

// Inside of the gate. `last`: the queue that it has received from, whose turn goes on if nothing comes before. False:
// nothing of its own comes next.
bool event_machine::choose_at_home(int core, event_home& mine, unsigned most, event_queue* last, delivery& d) noexcept {
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
    if (last == nullptr || !alone || last->turn == 0 || last->turn >= ready_set::turn_events ||
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
    d.at_home = d.chosen_at_home = true;
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
bool event_machine::next_at_home(int core, unsigned most, delivery& d, bool& nothing) noexcept {
    if (!at_home_.load(memory_order::relaxed)) { // a hint, which spares the gate
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

// False: received() has to do it, since what the core receives is counted, or its queue has another owner now.
bool event_machine::received_at_home(int core, delivery& d, unsigned most, delivery* next, bool& found) noexcept {
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
            if (!d.borrowed) {
                return false;
            }
            if (q.lent.empty()) {
                give_back(core, mine, q);
            }
        } else {
            q.held = false;
            q.round = mine.round;
            goes_on = q.events.empty() || q.listed ? nullptr : &q;
        }
        d.at_home = false;
        mine.current = nullptr;
        found = next != nullptr && !has_duties(core) && choose_at_home(core, mine, most, goes_on, *next);
        if (!found && goes_on != nullptr && !q.listed && !q.held && !q.events.empty()) { // nor lent
            mine.ready->put(q);
        }
        wakes = sleeping_ != 0 && !mine.ready->common.empty();
    }
    if (wakes || mine.stuck != 0) [[unlikely]] {
        end_at_home(mine, wakes);
    }
    return true;
}

// --- on the way to other cores ---------------------------------------------------------------------------------------

bool event_machine::has_mail(int core) const noexcept {
    for (int c = 0; c < core_count(); ++c) {
        if (home(c).out[static_cast<std::size_t>(core)].has_any()) {
            return true;
        }
    }
    return false;
}

// Takes what was handed over to the core, hands over what it has sent, and looks after others from time to time.
void event_machine::exchange_mail(int core, std::uint64_t decisions) noexcept {
    event_home& mine = home(core);
    each_core(std::exchange(mine.to, 0), [&](int c) { mine.out[static_cast<std::size_t>(c)].hand_over(); });
    each_core(working_ & ~(std::uint64_t{1} << core), [&](int c) {
        home(c).out[static_cast<std::size_t>(core)].take(
            [](const event_home::parcel& p) {
                if (p.what != nullptr) {
                    __builtin_prefetch(p.what, 1);
                    __builtin_prefetch(p.what->at(event::header_bytes), 1);
                }
            },
            [&](const event_home::parcel& p) { arrive(core, p); });
    });
    if (has_third(core)) {
        end_round(core, mine);
    }
    hand_back_done(core, mine);
    if (decisions % decisions_for_a_check == 0) {
        look_after_others(core);
    }
}

// Which cores have chosen nothing at home since the last look.
void event_machine::look_after_others(int core) noexcept {
    std::uint64_t stuck = 0;
    event_home& mine = home(core);
    each_core(working_ & ~(std::uint64_t{1} << core), [&](int c) {
        const std::uint64_t now = home(c).decisions.load(memory_order::relaxed);
        stuck |= std::exchange(mine.seen[static_cast<std::size_t>(c)], now) == now ? std::uint64_t{1} << c : 0;
    });
    mine.stuck = stuck;
}

bool event_machine::send_away_from_home(event_home& mine, event& e, event_queue& q) noexcept {
    if ((working_ >> q.home & 1) == 0 || (sleeping_ != 0 && (sleeping_ & q.group->mask) != 0)) {
        return false;
    }
    event_home::channel& way = mine.out[static_cast<std::size_t>(q.home)];
    if (!way.put({&e, &q})) {
        return false; // the receiver is in a long receive function
    }
    mine.to |= std::uint64_t{1} << q.home;
    if (way.kept() >= most_kept) {
        way.hand_over();
        mine.to &= ~(std::uint64_t{1} << q.home);
    }
    return true;
}

// Some of what is ready to a core that has nothing. `keeps_one`: the core itself has nothing else to go on with.
void event_machine::lend(int core, event_home& mine, bool keeps_one) noexcept {
    ready_set& all = mine.ready->common;
    const std::uint64_t asking = mine.asking.load(memory_order::relaxed) & working_ & ~(std::uint64_t{1} << core);
    if (asking == 0 || all.empty() || (keeps_one && mine.ready->has_one())) {
        return;
    }
    const int to = std::countr_zero(asking);
    const std::uint64_t bit = std::uint64_t{1} << to;
    event_home::channel& way = mine.out[static_cast<std::size_t>(to)];
    const unsigned priority = all.highest();
    const std::uint64_t taken = has_third(core) ? mine.taken : mine.round;
    bool any = false;
    for (std::size_t n = std::min((all.count(priority) + 1) / 2, most_lent); n != 0; --n) {
        event_queue& q = static_cast<event_queue&>(all.first(priority));
        if (q.is_lent || (q.atomic() && q.round > taken) || !way.put({nullptr, &q})) {
            break;
        }
        any = true;
        q.is_lent = true;
        mine.ready->take(q);
        if (q.atomic()) {
            q.held = true;
            q.lent = q.events.take_all();
            continue;
        }
        for (std::size_t left = std::min((q.events.size() + 1) / 2, most_lent); left != 0; --left) {
            q.lent.push(q.events.pop());
        }
        if (!q.events.empty()) {
            mine.ready->put(q);
        }
    }
    if (any) {
        mine.asking.fetch_and(~bit, memory_order::relaxed);
        mine.to &= ~bit;
        way.hand_over();
    }
}

// What goes to one other core needs no rounds: that one takes all in order.
bool event_machine::has_third(int core) const noexcept {
    return std::popcount(working_ & ~(std::uint64_t{1} << core)) > 1;
}

// If all that was sent until the last round's end has arrived, another one ends here.
void event_machine::end_round(int core, event_home& mine) noexcept {
    const std::uint64_t others = working_ & ~(std::uint64_t{1} << core);
    const auto to = [&](int c) -> event_home::channel& { return mine.out[static_cast<std::size_t>(c)]; };
    bool all = true;
    if (mine.asks_for_round) {
        each_core(others, [&](int c) { all = all && to(c).was_taken(mine.round_ended[static_cast<std::size_t>(c)]); });
    }
    if (!all) {
        return;
    }
    mine.taken = mine.asks_for_round ? mine.round - 1 : mine.taken;
    mine.asks_for_round = true;
    ++mine.round;
    each_core(others, [&](int c) { mine.round_ended[static_cast<std::size_t>(c)] = to(c).position(); });
}

// Queues of which all has arrived that the core has sent from them.
void event_machine::hand_back_done(int core, event_home& mine) noexcept {
    const std::uint64_t taken = has_third(core) ? mine.taken : mine.round;
    while (!mine.done_with.empty() && mine.done_with.first()->borrowed_round <= taken) {
        event_queue& q = *mine.done_with.first();
        mine.done_with.erase(q); // before it is its owner's
        if (!hand_back(mine, q)) {
            mine.done_with.push_front(q);
            return;
        }
    }
}

// False: too much is on its way there.
bool event_machine::hand_back(event_home& mine, event_queue& q) noexcept {
    event_home::channel& way = mine.out[static_cast<std::size_t>(q.home)];
    if (!way.put({nullptr, &q})) {
        return false;
    }
    way.hand_over();
    mine.to &= ~(std::uint64_t{1} << q.home);
    return true;
}

// The core has received the last of what it had of the queue.
void event_machine::give_back(int core, event_home& mine, event_queue& q) noexcept {
    if ((q.atomic() && has_third(core)) || !hand_back(mine, q)) {
        q.borrowed_round = mine.round;
        mine.done_with.push_back(q);
    }
}

// Precondition: it has borrowed a queue.
void event_machine::receive_borrowed(event_home& mine, unsigned most, delivery& d) noexcept {
    event_queue& q = *mine.borrowed.first();
    fill(q, q.lent, most, d);
    mine.turn += d.count;
    if (q.lent.empty() || mine.turn >= ready_set::turn_events) {
        mine.turn = 0;
        mine.borrowed.erase(q);
        if (!q.lent.empty()) {
            mine.borrowed.push_back(q);
        }
    }
}

// The core has nothing: others shall lend it some; or: not any more.
void event_machine::ask_others(int core, bool asks) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << core;
    for (int c = 0; c < core_count(); ++c) {
        machine::atomic<std::uint64_t>& word = home(c).asking;
        if (c != core && ((word.load(memory_order::relaxed) & bit) != 0) != asks) {
            asks ? word.fetch_or(bit, memory_order::relaxed) : word.fetch_and(~bit, memory_order::relaxed);
        }
    }
}

// Others are not stopped for what they have before the core has waited a little for what they send and lend.
bool event_machine::await_others(int core, unsigned most, delivery& d) noexcept {
    ask_others(core, true);
    bool found = false;
    bool nothing = true;
    const std::uint64_t until = port::now_ns() + patience_ns;
    for (int i = 1; !found && nothing && port::now_ns() < until; ++i) {
        machine::pause();
        if (has_mail(core) || i % looks_for_a_round == 0) {
            found = next_at_home(core, most, d, nothing);
        } else if (has_news(core) || has_duties(core)) {
            break;
        }
    }
    ask_others(core, false);
    return found;
}

void event_machine::end_at_home(event_home& mine, bool wakes) noexcept {
    if (const std::uint64_t stuck = std::exchange(mine.stuck, 0)) [[unlikely]] {
        relieve(stuck);
    } else if (wakes) {
        pass_on();
    }
}

// Of several, or one; none: what is nobody's or was resumed comes next, and the choice is made under the lock.
event_queue* event_machine::choose_among(int core, unsigned own, std::uint64_t decisions) noexcept {
    const core_fibers* const fibers_here = fibers(core);
    const unsigned goes_on = fibers_here != nullptr ? fibers_here->resumed.priorities() : 0;
    const unsigned shared = scheduler_.shared(core);
    const event_home& mine = home(core);
    home_ready& ready = *mine.ready;
    const unsigned lent = mine.borrowed.empty() ? 0 : 1U << mine.borrowed.first()->priority;
    const starvation_guard before = ready.guard;
    const unsigned priority = ready.guard.next(own | lent | goes_on | shared, options_.starvation);
    const unsigned bit = 1U << priority;
    event_queue* const first = (own & bit) != 0 ? static_cast<event_queue*>(&ready.first(priority)) : nullptr;
    // What is nobody's takes turns with the others.
    if ((goes_on & bit) != 0 || ((shared & bit) != 0 && (first == nullptr || first->turn == 0))) {
        ready.guard = before;
        return nullptr;
    }
    return first == nullptr || ((lent & bit) != 0 && decisions % 2 != 0) ? mine.borrowed.first() : first;
}

} // namespace skerry::inline SKERRY_ABI::detail
