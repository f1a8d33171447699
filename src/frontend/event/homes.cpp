// SPDX-License-Identifier: Apache-2.0

// Cores that work at home: they send to queues of their own, and receive from those, inside of their gates and without
// the machine's lock. README.md has the steps.

#include <algorithm>
#include <bit>
#include <utility>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"
#include "frontend/event/homes.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Calls f(core) for each bit.
template <class F>
void each_core(std::uint64_t bits, F&& f) {
    for (; bits != 0; bits &= bits - 1) {
        f(std::countr_zero(bits));
    }
}

} // namespace

event_home::event_home(int cores)
    : out(std::make_unique<event_list[]>(static_cast<std::size_t>(cores))),
      mail(std::make_unique<box[]>(static_cast<std::size_t>(cores))) {}

// --- the lock
// ---------------------------------------------------------------------------------------------------------

void machine_lock::lock() noexcept {
    mutex_.lock();
    if (of_.at_home_.load(memory_order::relaxed)) { // relaxed: written under the mutex
        stopped_ = true;
        of_.stop_cores();
    }
}

void machine_lock::unlock() noexcept {
    if (std::exchange(stopped_, false)) {
        of_.let_cores_go();
    }
    if (std::exchange(of_.goes_home_, false)) {
        of_.at_home_.store(true, memory_order::release); // last: from here on cores are inside of their gates
    }
    mutex_.unlock();
}

void event_machine::stop_cores() noexcept {
    const int self = this_event_thread.core;
    asked_ = working_ & (self >= 0 ? ~(std::uint64_t{1} << self) : ~std::uint64_t{0});
    if (asked_ != 0) {
        each_core(asked_, [this](int c) { home(c).gate.ask(); });
        pass_fence(fence_);
        each_core(asked_, [this](int c) { home(c).gate.await(); });
    }
    std::uint64_t done = 0;
    each_core(working_, [&](int c) {
        event_home& h = home(c);
        if (delivery* const d = std::exchange(h.current, nullptr)) {
            d->at_home = false;
            count_in(c, *d);
        }
        deliver_sent(c);
        done += h.decisions.load(memory_order::relaxed);
    });
    note();
    lean_ = done - decisions_ < decisions_for_a_stop && !std::exchange(settled_, false) ? lean_ + 1 : 0;
    decisions_ = done;
    if (lean_ > the_home_rules.lean) {
        at_home_.store(false, memory_order::relaxed); // the gates are closed
        lean_ = 0;
        streak_ = 0;
        for (int c = 0; c < core_count(); ++c) {
            leave_queues(scheduler_.home(c).common);
            leave_queues(scheduler_.home(c).own);
        }
    }
}

void event_machine::let_cores_go() noexcept {
    each_core(std::exchange(asked_, 0), [this](int c) { home(c).gate.open(); });
}

// What lies on its way from the core.
void event_machine::deliver_sent(int from) noexcept {
    event_home& h = home(from);
    each_core(std::exchange(h.to, 0), [&](int c) {
        deliver(home(c).mail[static_cast<std::size_t>(from)].first.take());
        deliver(h.out[static_cast<std::size_t>(c)].take_all().first());
    });
}

void event_machine::deliver(event* first) noexcept {
    while (first != nullptr) {
        event& e = *std::exchange(first, first->next);
        event_queue& q = *std::exchange(e.to, nullptr);
        q.events.push(e);
        list(q);
    }
}

// --- who works at home
// ------------------------------------------------------------------------------------------------

void event_machine::begin_work(int core) noexcept {
    if (can_work_) {
        const std::lock_guard lock(lock_);
        working_ |= std::uint64_t{1} << core;
        event_thread& self = this_event_thread;
        self.works = true;
        self.plain = !worker::of(*current_page).trace.on();
        self.home = &home(core);
    }
}

void event_machine::end_work(int core) noexcept {
    this_event_thread.plain = false;
    if (std::exchange(this_event_thread.works, false)) {
        const std::lock_guard lock(lock_);
        working_ &= ~(std::uint64_t{1} << core);
    }
}

// Whose the queue may be, with which that core has to do: of those that one core may receive from its own, and of those
// that all may. Negative: nobody's.
int event_machine::owner_of(int core, const event_queue& q) const noexcept {
    if (!q.scheduled() || q.ordered() || q.atomics != nullptr || q.most != 0) {
        return -1;
    }
    const std::uint64_t mask = q.group->mask;
    const int owner = std::has_single_bit(mask)                ? std::countr_zero(mask)
                      : (mask & all_cores()) == all_cores() ? core
                                                               : -1;
    return owner >= 0 && (working_ >> owner & 1) != 0 ? owner : -1;
}

// The core has chosen the queue, which is not listed. True: it is the core's own from here on.
bool event_machine::settle(int core, event_queue& q) noexcept {
    if (owner_of(core, q) != core) {
        streak_ = 0;
        return false;
    }
    if (at_home_.load(memory_order::relaxed)) {
        if (q.home < 0) {
            settle_others(core, q);
        }
        q.home = core;
        return true;
    }
    if (++streak_ >= the_home_rules.streak) {
        streak_ = 0;
        goes_home_ = true;
    }
    return false;
}

// So are its share of those that are nobody's, too, and as ready: else each would take a stop.
void event_machine::settle_others(int core, const event_queue& like) noexcept {
    settled_ = true;
    ready_set& all = like.group->ready;
    const unsigned priority = like.priority;
    const std::size_t cores = static_cast<std::size_t>(std::popcount(working_ & like.group->mask));
    std::size_t n = all.count(priority) / std::max<std::size_t>(cores, 1);
    for (n = std::min(n, most_settled); n != 0; --n) {
        schedulable& s = all.first(priority);
        if (s.what != schedulable::kind::queue || owner_of(core, static_cast<event_queue&>(s)) != core) {
            return;
        }
        scheduler_.withdraw(s);
        s.home = core;
        scheduler_.ready(s);
    }
}

// The core sends to the queue.
void event_machine::settle_target(int core, event_queue& q) noexcept {
    const int owner = q.home < 0 && at_home_.load(memory_order::relaxed) ? owner_of(core, q) : -1;
    if (owner < 0) {
        return;
    }
    const bool listed = q.listed;
    if (listed) {
        scheduler_.withdraw(q);
    }
    q.home = owner;
    settled_ = true;
    if (listed) {
        scheduler_.ready(q);
    }
}

// It is nobody's.
void event_machine::unsettle(event_queue& q) noexcept {
    if (q.home < 0) {
        return;
    }
    const bool listed = q.listed;
    if (listed) {
        scheduler_.withdraw(q);
    }
    q.home = -1;
    if (listed) {
        scheduler_.ready(q);
    }
}

void event_machine::leave_queues(ready_set& all) noexcept {
    while (!all.empty()) {
        unsettle(static_cast<event_queue&>(all.first(all.highest())));
    }
}

// Cores that have long done nothing at home leave their queues to others.
void event_machine::look_after_others(int core) noexcept {
    std::uint64_t stuck = 0;
    event_home& mine = home(core);
    each_core(working_ & ~(std::uint64_t{1} << core), [&](int c) {
        const std::uint64_t now = home(c).decisions.load(memory_order::relaxed);
        stuck |= std::exchange(mine.seen[static_cast<std::size_t>(c)], now) == now ? std::uint64_t{1} << c : 0;
    });
    mine.stuck = stuck;
}

void event_machine::relieve(std::uint64_t cores) noexcept {
    wake_ups w;
    const std::lock_guard lock(lock_);
    each_core(cores, [this](int c) { leave_queues(scheduler_.home(c).common); });
    wake_one(note(), w);
}

// --- on the way to other cores
// -----------------------------------------------------------------------------------------

// What core `from` has sent to the other one, unless that has not yet taken what was handed over before.
void event_machine::hand_over(int from, int to) noexcept {
    event_home& mine = home(from);
    event_list& out = mine.out[static_cast<std::size_t>(to)];
    letter_box<machine, event>& mail = home(to).mail[static_cast<std::size_t>(from)].first;
    if (!out.empty() && mail.put(out.first())) {
        static_cast<void>(out.take_all());
    } else if (out.empty() && !mail.has_any()) {
        mine.to &= ~(std::uint64_t{1} << to);
    }
}

bool event_machine::has_mail(int core) const noexcept {
    const event_home& mine = home(core);
    for (int c = 0; c < core_count(); ++c) {
        if (mine.mail[static_cast<std::size_t>(c)].first.has_any()) {
            return true;
        }
    }
    return false;
}

// Takes what was handed over to the core, hands over what it has sent, and looks after others from time to time.
void event_machine::exchange_mail(int core, std::uint64_t decisions) noexcept {
    event_home& mine = home(core);
    each_core(working_ & ~(std::uint64_t{1} << core),
              [&](int c) { deliver(mine.mail[static_cast<std::size_t>(c)].first.take()); });
    each_core(mine.to, [&](int c) { hand_over(core, c); });
    if (decisions % decisions_for_a_check == 0) {
        look_after_others(core);
    }
}

bool event_machine::send_away_from_home(event_home& mine, event& e, event_queue& q) noexcept {
    if ((working_ >> q.home & 1) == 0 || (sleeping_ != 0 && (sleeping_ & q.group->mask) != 0)) {
        return false;
    }
    e.to = &q;
    event_list& out = mine.out[static_cast<std::size_t>(q.home)];
    out.push(e);
    mine.to |= std::uint64_t{1} << q.home;
    if (out.size() >= most_kept) {
        hand_over(this_event_thread.core, q.home);
    }
    return true;
}

void event_machine::end_at_home(event_home& mine, bool wakes) noexcept {
    if (const std::uint64_t stuck = std::exchange(mine.stuck, 0)) [[unlikely]] {
        relieve(stuck);
    } else if (wakes) {
        pass_on();
    }
}

// Of several priorities; none: what is nobody's comes next.
event_queue* event_machine::choose_among(int core, unsigned own, std::uint64_t decisions) noexcept {
    const core_fibers* const fibers_here = fibers(core);
    const unsigned others = scheduler_.shared(core) | (fibers_here != nullptr ? fibers_here->resumed.priorities() : 0);
    home_ready& ready = scheduler_.home(core);
    const starvation_guard before = ready.guard;
    const unsigned priority = ready.guard.next(own | others, options_.starvation);
    const bool takes_turns = (own >> priority & 1) != 0; // with what is nobody's: at every few choices that comes first
    if ((others >> priority & 1) != 0 && (!takes_turns || decisions % decisions_for_a_look == 0)) {
        ready.guard = before; // the choice is made under the lock
        return nullptr;
    }
    return static_cast<event_queue*>(&ready.first(priority));
}

} // namespace skerry::inline SKERRY_ABI::detail
