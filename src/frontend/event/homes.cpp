// SPDX-License-Identifier: Apache-2.0

// Cores that work at home: who does, which queues are whose, and how the machine's lock stops them. README.md has the
// steps.

#include <algorithm>
#include <bit>
#include <utility>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/gates.hpp"
#include "frontend/event/homes.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

event_home::event_home(int cores) : out(new channel[static_cast<std::size_t>(cores)]) {} // whose places stay unwritten

// --- the lock --------------------------------------------------------------------------------------------------------

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
        h.quiet = false;
        deliver_sent(c);
        h.taken = h.round++;
        h.asks_for_round = false;
    });
    for (int c = 0; c < core_count(); ++c) {
        done += home(c).decisions.load(memory_order::relaxed);
    }
    bring_back_lent();
    note();
    lean_ = done - decisions_ < decisions_for_a_stop && !std::exchange(settled_, false) ? lean_ + 1 : 0;
    decisions_ = done;
    if (lean_ > the_home_rules.lean) {
        count_all();
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
    h.to = 0;
    each_core(working_ & ~(std::uint64_t{1} << from), [&](int c) {
        event_home::channel& way = h.out[static_cast<std::size_t>(c)];
        way.hand_over();
        way.take([](const event_home::parcel&) {}, [&](const event_home::parcel& p) { arrive(c, p); });
    });
}

void event_machine::arrive(int core, const event_home::parcel& p) noexcept {
    event_queue& q = *p.queue;
    if (p.what != nullptr) {
        q.events.push(*p.what);
    } else if (q.home == core) {
        q.is_lent = false;
        q.held = false;
    } else {
        home(core).borrowed.push_back(q);
        return;
    }
    if (!q.held && !q.listed && !q.events.empty()) {
        home(core).ready->put(q);
    }
}

// What was not received yet comes first.
void event_machine::end_loan(event_queue& q) noexcept {
    q.lent.append(q.events);
    q.events = q.lent.take_all();
    q.is_lent = false;
}

void event_machine::bring_back_lent() noexcept {
    each_core(working_, [&](int c) {
        event_home& h = home(c);
        event_queue* const now =
            h.current != nullptr && std::exchange(h.current->borrowed, false) ? h.current->from : nullptr;
        if (now != nullptr) {
            now->is_lent = false;
        }
        for (auto* const all : {&h.borrowed, &h.done_with}) {
            while (!all->empty()) {
                event_queue& q = *all->first();
                all->erase(q);
                end_loan(q);
                q.held = q.held && &q == now;
                list(q);
            }
        }
        h.turn = 0;
    });
}

// --- who receives what -----------------------------------------------------------------------------------------------

void event_machine::count_own(int core) noexcept {
    if (core < 0) {
        return;
    }
    if (delivery* const d = std::exchange(home(core).current, nullptr)) {
        d->at_home = false;
        count_in(core, *d);
    }
}

void event_machine::count_all() noexcept {
    each_core(working_, [this](int c) { count_own(c); });
}

// --- who works at home -----------------------------------------------------------------------------------------------

void event_machine::begin_work(int core) noexcept {
    if (can_work_ && worker::of(*current_page).home.protocol() == steal_protocol::asymmetric) {
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
        leave_queues(scheduler_.home(core).common);
        leave_queues(scheduler_.home(core).own);
        note();
    }
}

// Whose the queue may be, with which that core has to do: of those that one core may receive from its own, and of those
// that all may. Negative: nobody's.
int event_machine::owner_of(int core, const event_queue& q) const noexcept {
    if (!q.scheduled() || q.ordered() || q.atomics != nullptr || q.most != 0) {
        return -1;
    }
    const std::uint64_t mask = q.group->mask;
    const int owner = std::has_single_bit(mask)             ? std::countr_zero(mask)
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
        s.move_home(core);
        scheduler_.ready(s);
    }
}

// The core sends to the queue.
void event_machine::settle_target(int core, event_queue& q) noexcept {
    const bool has_owner = q.home >= 0 && works_at_home(q.home);
    const int owner = !has_owner && at_home_.load(memory_order::relaxed) ? owner_of(core, q) : -1;
    if (owner < 0) {
        return;
    }
    const bool listed = q.listed;
    if (listed) {
        scheduler_.withdraw(q);
    }
    q.move_home(owner);
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

em_queue_type_t event_machine::type_of(em_queue_t handle) noexcept {
    const auto look = [&] {
        const event_queue* const q = queue(handle);
        return q != nullptr ? q->type : em_queue_type_t{EM_QUEUE_TYPE_UNDEF};
    };
    if (const event_thread& self = this_event_thread; self.works) {
        const inside_gate inside(self.home->gate);
        if (at_home_.load(memory_order::acquire)) { // who takes a queue away has the lock
            return look();
        }
    }
    return locked(look);
}

void event_machine::leave_queues(ready_set& all) noexcept {
    while (!all.empty()) {
        unsettle(static_cast<event_queue&>(all.first(all.highest())));
    }
}

// Cores that have long done nothing at home leave their queues to others.
void event_machine::relieve(std::uint64_t cores) noexcept {
    wake_ups w;
    const std::lock_guard lock(lock_);
    each_core(cores, [this](int c) { leave_queues(scheduler_.home(c).common); });
    wake_one(note(), w);
}

} // namespace skerry::inline SKERRY_ABI::detail
