// SPDX-License-Identifier: Apache-2.0

#include "sched/team.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include <skerry/detail/sched/stopping.hpp>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "sched/insist.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// An owner that forks answers within nanoseconds. One that has not answered after this is deep in a leaf; the heavy
// fence that then takes its tasks costs about as much.
constexpr double patience_s = 15e-6;
// A region that is over by then is not worth a steal, which costs its owner about as much. For each four workers, if
// the thief has found little to do: a loop has more leaves the more workers there are, and thieves who come to a short
// one make it long for the next of them.
constexpr double least_youth_s = 1e-6;
constexpr unsigned workers_of_youth = 4;
// How long to search before sleeping, at least: a few wake-ups' worth (5 to 15 µs each).
constexpr double spin_s = 40e-6;
// Whoever has worked searches for as long as that took, up to this: the next tasks of a program of many short loops are
// near, and on 16 processors a sleep and a wake-up in each of them took almost a fifth of its time.
constexpr double most_earned_s = 300e-6;
// And who has more than this left is in a program of longer regions. Less is left, too, by what sixteen thieves take
// from each other in a region that would have been over in a microsecond without them.
constexpr double least_earned_s = 10e-6;

constinit machine::atomic<std::uint64_t> teams_made{0};

std::uint64_t in_ticks(double seconds) noexcept {
    return static_cast<std::uint64_t>(seconds * port::ticks_per_second());
}

} // namespace

team::team(const team_settings& settings)
    : settings_(settings),
      generation_(port::process_generation()),
      silent_generation_(traced() ? ~std::uint64_t{0} : generation_),
      serial_(teams_made.fetch_add(1, memory_order::relaxed) + 1),
      patience_(in_ticks(patience_s)),
      least_youth_(in_ticks(least_youth_s)),
      youth_(in_ticks(least_youth_s * std::max(1U, settings.workers / workers_of_youth))),
      spin_time_(in_ticks(settings.crowded ? spin_s / 10 : spin_s)),
      // A search that interrupts its victims is no business to prolong.
      most_earned_(settings.crowded || interrupts() ? 0 : in_ticks(most_earned_s)),
      least_earned_(in_ticks(least_earned_s)),
      table_(std::make_unique<machine::atomic<worker*>[]>(settings.max_slots)) {}

team::~team() {
    for (unsigned i = 0; i < slots(); ++i) {
        delete &slot(i);
    }
}

worker* team::make_slot(unsigned number) {
    auto fresh = std::make_unique<worker>(*this, root_, number, settings_.protocol, settings_.trace_records,
                                          settings_.observer != nullptr);
    if (settings_.places != nullptr) {
        const unsigned place = number % settings_.workers;
        fresh->order = settings_.places->victims_in_distance_order(place, settings_.workers);
        if (place != number) {
            fresh->order.push_back(place); // a foreign thread: its double is as near as can be
            std::rotate(fresh->order.begin(), fresh->order.end() - 1, fresh->order.end());
        }
    }
    fresh->ring(); // K3, invariant 1: somebody may be asleep already
    return fresh.release();
}

worker* team::add_slot() {
    const unsigned number = slots();
    if (number == settings_.max_slots) {
        return nullptr;
    }
    worker* const fresh = make_slot(number);
    machine::publish_all(coherence_step::handed_over);
    table_[number].store(fresh, memory_order::release); // K4 -> K5
    made_.store(number + 1, memory_order::release);     // K4 -> K5: last, so that who counts it finds it
    return fresh;
}

bool team::make_slots(unsigned n) {
    const std::lock_guard lock(mutex_);
    while (slots() < n) {
        worker* const fresh = add_slot();
        if (fresh == nullptr) {
            return false;
        }
        free_slot(*fresh);
    }
    return true;
}

worker* team::take_slot(worker* hint) {
    const auto take = [](worker& w) {
        return !w.taken.load(memory_order::acquire) && !w.taken.exchange(true, memory_order::acquire); // K1 <- K2
    };
    worker* found = nullptr;
    if (hint != nullptr && take(*hint)) {
        found = hint;
    }
    for (unsigned i = 0; found == nullptr && i < slots(); ++i) {
        found = take(slot(i)) ? &slot(i) : nullptr;
    }
    if (found == nullptr) {
        const std::lock_guard lock(mutex_);
        found = add_slot();
        if (found == nullptr) {
            return nullptr;
        }
    }
    machine::discard_all(coherence_step::found);
    found->entries.store(found->entries.load(memory_order::relaxed) + 1, memory_order::release);
    found->contexts.begin(root_);
    found->entered = nullptr;
    if (interrupts()) {
        found->ring(); // whoever sleeps has asked the holders of that time
    }
    return found;
}

void team::free_slot(worker& self) noexcept {
    self.spare.trim();
    machine::publish_all(coherence_step::handed_over);
    self.taken.store(false, memory_order::release); // K2 -> K1
}

void team::sit_down(worker& self, bool from_outside) noexcept {
    if constexpr (machine::interrupts()) {
        self.core.store(machine::core(), memory_order::release);
        machine::on_interrupt(&on_interrupt);
    }
    current_page = &self;
    if (takes_events<machine> || self.observed) [[unlikely]] {
        if (wait_observer* const to = self.home.observer()) {
            to->seated(self.slot);
        }
        if (from_outside) {
            self.trace.enter();
        }
    }
}

unsigned team::known_slots(worker& self) const noexcept {
    const unsigned n = slots();
    if (n != self.known_slots) {
        machine::discard_all(coherence_step::found);
        self.known_slots = n;
    }
    return n;
}

void team::execute(worker& self, task_header& task, successors what_follows) noexcept {
    self.with_trace([&](auto trace) { execute(self, trace, task, what_follows); });
}

// --- searching ------------------------------------------------------------------------------------------------------

worker& team::choose(const worker& self, unsigned turn, unsigned n) const noexcept {
    if (turn < self.order.size() && self.order[turn] < n) {
        return slot(self.order[turn]);
    }
    return slot((self.slot + 1 + turn) % n);
}

bool team::accept_for(worker& thief, const worker& victim, wanted w, std::size_t depth, task_header& task,
                      std::size_t index) noexcept {
    if (!victim.contexts.find(task) || !w.accepts(task, index)) { // X2, X3; F2; X4: in here
        return false;
    }
    task.joined.begin(&thief);
    task.base = depth;
    return true;
}

answer team::steal_from(worker& self, worker& victim, wanted w, bool force, task_header*& task) noexcept {
    answer result = answer::refused;
    if (interrupts()) {
        result = request(self, victim, steal_request::kind::steal, w, nullptr);
        task = result == answer::granted ? self.request.reply.task : nullptr;
        self.roused = self.roused || (w.is_any() && result == answer::granted && self.request.reply.more); // R1
    } else {
        const auto accept = [&](task_header& t, std::size_t index) {
            return accept_for(self, victim, w, self.mine().depth(), t, index);
        };
        result = victim.theirs().steal(accept, force, task);
    }
    if (result == answer::granted) {
        const bool forced =
            force && settings_.protocol == steal_protocol::asymmetric; // the others have nothing to force
        self.count.granted.add();
        self.count.asymmetric.add(forced ? 1 : 0);
        self.trace.steal(trace_id(task), victim.slot, forced ? steal_how::forced : steal_how::asked);
    } else if (result == answer::refused) {
        self.count.refused.add();
    }
    return result;
}

answer team::extract_from(worker& self, worker& victim, wanted w, task_header*& task) noexcept {
    answer result = answer::refused;
    if (interrupts()) {
        result = request(self, victim, steal_request::kind::extract, w, nullptr);
        task = result == answer::granted ? self.request.reply.task : nullptr;
    } else {
        const auto accept = [&w](const task_header& t) { return w.accepts(t, 0); };
        result = victim.theirs().extract(accept, victim.hole, task);
    }
    if (result == answer::granted) {
        self.count.granted.add();
        self.trace.steal(trace_id(task), victim.slot, steal_how::fetched);
    }
    return result;
}

void team::rouse_another(worker& self) noexcept {
    if (interrupts()) {
        wake_any(); // R5: who waits for something is called by those who push it
    } else if ((!ring_for(wanted::any(), [] { return false; }) || any_work(self)) && !wake_any()) { // R3; R4; R5
        wake_waiters();                                                                             // R5
    }
}

task_header* team::look(worker& self, wanted w, search& s) noexcept {
    if (interrupts()) {
        return interrupt_one(self, w, s);
    }
    task_header* task = nullptr;
    const auto try_offer = [&](worker& v) {
        return v.theirs().offers() && steal_from(self, v, w, false, task) == answer::granted;
    };
    if (s.asked != nullptr) {
        if (try_offer(*s.asked)) {
            return task;
        }
        if (s.asked->entries.load(memory_order::acquire) != s.entry) {
            s.asked = nullptr; // the region that was asked is over
        } else if (port::ticks() - s.asked_at > patience_) {
            worker& deaf = *s.asked;
            s.asked = nullptr;
            const answer forced = steal_from(self, deaf, w, true, task);
            if (forced == answer::granted) {
                return task;
            }
            s.declined = forced == answer::refused; // else another was there, or had the fence
        }
    }
    const auto consider = [&](worker& v) {
        if (try_offer(v)) {
            return true;
        }
        if (s.asked != nullptr) {
            return false;
        }
        std::uint64_t now = 0;
        if (s.suspect == &v) {
            now = port::ticks();
            if (now - s.suspected_at < youth(self)) {
                return false; // to look at its page, too, would make the owner's next task dearer
            }
        }
        if (!v.theirs().looks_busy()) {
            s.suspect = s.suspect == &v ? nullptr : s.suspect;
            return false;
        }
        now = now != 0 ? now : port::ticks();
        if (w.is_any() && !worth_asking(self, v, s, now)) {
            return false;
        }
        // Later: not if somebody was forced in vain, who would have nothing again.
        if (now - s.began <= spin_time_ || (self.earned != 0 && !s.declined)) {
            v.theirs().ask();
            s.asked = &v;
            s.asked_at = now;
            s.entry = v.entries.load(memory_order::acquire); // a hint
            s.suspect = nullptr;
            self.count.asked.add();
        }
        return false;
    };
    if (const worker_page* const executor = w.executor()) {
        consider(worker::of(*const_cast<worker_page*>(executor)));
        return task;
    }
    const unsigned n = known_slots(self);
    const unsigned turns = static_cast<unsigned>(self.order.size()) + n;
    for (unsigned turn = 0; turn < turns; ++turn) {
        worker& v = choose(self, turn, n);
        if (&v != &self && consider(v)) {
            return task;
        }
    }
    return take_injected(self, w, queue_part::few);
}

// Short regions that follow each other keep a thief awake, which would otherwise be woken for each, and are left alone.
// Who has paid for its searches is in a program of longer ones.
bool team::worth_asking(const worker& self, worker& victim, search& s, std::uint64_t now) const noexcept {
    if (has_paid(self) && !victim.serves_outsiders()) { // what it has is of an older region, or came from the queue
        return true;
    }
    const std::uint32_t entry = victim.entries.load(memory_order::acquire); // a hint
    if (s.suspect == nullptr || (s.suspect == &victim && s.entry != entry)) {
        s.suspect = &victim;
        s.entry = entry;
        s.suspected_at = now;
        s.began = now;
    }
    return s.suspect == &victim && now - s.suspected_at >= youth(self);
}

bool team::has_paid(const worker& self) const noexcept { return self.earned > least_earned_; }

std::uint64_t team::youth(const worker& self) const noexcept { return has_paid(self) ? least_youth_ : youth_; }

void team::begin_search(worker& self, search& s, bool has_slept) const noexcept {
    s = search{.began = port::ticks()};
    self.earned = has_slept ? 0 : std::min(self.earned + (s.began - self.looked_at), most_earned_);
    self.looked_at = s.began;
}

bool team::expired(worker& self, const search& s) const noexcept {
    const std::uint64_t now = port::ticks();
    self.earned -= std::min(self.earned, now - self.looked_at);
    self.looked_at = now;
    // An unanswered request is waited for: giving up would leave its tasks to nobody.
    return s.asked == nullptr && self.earned == 0 && now - s.began > spin_time_;
}

void team::relax(search& s) noexcept {
    if (outward* const to = beyond(); to != nullptr && to->search()) {
        s.began = port::ticks();
        return;
    }
    if (settings_.crowded && s.turn % 8 == 7) {
        port::yield();
    } else {
        for (unsigned i = 0; i < std::min(1U + s.turn, 64U); ++i) {
            machine::pause();
        }
    }
    ++s.turn;
}

// --- sleeping -------------------------------------------------------------------------------------------------------

void team::ring_all() noexcept {
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        slot(i).ring();
    }
}

bool team::ring_pages(wanted w) noexcept {
    if (settings_.protocol != steal_protocol::asymmetric) {
        // Locked: every push looks for sleepers, after a full fence. Interrupt: a handler that has nothing to give
        // rings its own page, so the last look does it.
        return false;
    }
    if (const worker_page* const executor = w.executor()) {
        const_cast<worker_page*>(executor)->ring();
    } else {
        ring_all();
    }
    return true;
}

task_header* team::last_look(worker& self, wanted w, bool& unsure) noexcept {
    task_header* task = nullptr;
    const auto granted = [&](worker& v) {
        if (&v == &self || !v.theirs().looks_busy()) {
            return false;
        }
        if (interrupts() && !v.taken.load(memory_order::acquire)) {
            return false; // nobody to ask; whoever takes the slot rings its page
        }
        answer a = steal_from(self, v, w, true, task);
        if (a == answer::refused && w.ctx() != nullptr) { // it may lie under what is not for us
            a = extract_from(self, v, w, task);
        }
        unsure = unsure || a == answer::busy || a == answer::pending;
        return a == answer::granted;
    };
    if (const worker_page* const executor = w.executor()) {
        granted(worker::of(*const_cast<worker_page*>(executor)));
        return task;
    }
    for (unsigned i = 0, n = known_slots(self); i < n; ++i) {
        if (granted(slot(i))) {
            return task;
        }
    }
    return take_injected(self, w, queue_part::all);
}

bool team::any_work(worker& self) const noexcept {
    for (unsigned i = 0, n = known_slots(self); i < n; ++i) {
        if (slot(i).tasks.looks_busy()) {
            return true;
        }
    }
    return any_injected();
}

template <class F>
bool team::any_sleeper(F&& f) noexcept {
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        worker& w = slot(i);
        if (w.sleeping.prepared() && f(w, wanted::from_word(w.announced.load(memory_order::acquire)))) {
            return true;
        }
    }
    return false;
}

// T3 to T5. What is pushed before the fence is exposed here; who pushes after it finds its page rung. An owner that
// answers the ring rings itself again while it is asked to stop: answer_push().
void team::alert() noexcept {
    if (settings_.protocol == steal_protocol::locked || orphaned()) {
        return; // each push and pop takes the slow way; or there is nobody but whoever has asked
    }
    if (interrupts()) {
        alert_cores();
        return;
    }
    const unsigned n = slots();
    ring_all();                                                                    // T3
    insist([this] { return fence_.pass([] { return machine::pause(), true; }); }); // T4
    for (unsigned i = 0; i < n; ++i) {
        insist([this, i] { return slot(i).theirs().expose(); }); // T5
    }
}

bool team::answer_push(worker& self, const context* joined) noexcept {
    self.count.deepest.raise_to(self.mine().depth());
    const bool goes_on = !stops(*self.ctx); // after attend()'s full fence
    if (!goes_on) [[unlikely]] {
        self.ring(); // T6
    }
    call_sleeper(self, joined);
    return goes_on;
}

void team::call_sleeper(worker& self, const context* joined) noexcept {
    const unsigned asleep = sleepers_.load(memory_order::acquire); // after attend()'s full fence
    if (asleep == 0) {
        return;
    }
    const auto woken = [&] {
        self.count.wakes.add();
        if (interrupts() && asleep > 1) {
            self.ring(); // who was woken cannot: invariant 1
        }
    };
    if (wake_any()) { // before one that waits, whose wait may be over
        woken();
        return;
    }
    bool someone_else = false;
    const bool called = any_sleeper([&](worker& w, wanted wish) {
        if (wish.may_use(self, joined)) {
            return w.sleeping.call();
        }
        someone_else = someone_else || wish.ctx() != nullptr;
        return false;
    });
    if (called) {
        woken();
    } else if (someone_else) { // its tasks may come later: stay rung
        self.ring();
    }
}

void team::rouse() noexcept {
    machine::full_fence();
    if (sleepers_.load(memory_order::acquire) != 0 && !wake_any()) {
        wake_waiters();
    }
}

bool team::wake_any() noexcept {
    return any_sleeper([](worker& w, wanted wish) { return wish.is_any() && w.sleeping.call(); });
}

void team::wake_waiters() noexcept {
    any_sleeper([](worker& w, wanted wish) {
        const worker_page* const executor = wish.executor();
        if (executor == nullptr || worker::of(*const_cast<worker_page*>(executor)).tasks.looks_busy()) {
            w.sleeping.notify(); // no call: the caller has looked after the rings, and each of them will
        }
        return false;
    });
}

void team::stop() noexcept {
    stopping_.store(true, memory_order::release);
    machine::full_fence();
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        slot(i).sleeping.notify();
    }
}

// --- tasks from outside ---------------------------------------------------------------------------------------------

void team::inject(loose_task& task, bool anybody) noexcept {
    const context* const joined = &task.ctx->cover(); // the task may be gone below; only compared
    {
        const std::lock_guard lock(mutex_);
        task.queued = true;
        task.older = newest_injected_;
        task.newer = nullptr; // it may have been in the queue before
        (newest_injected_ != nullptr ? newest_injected_->newer : oldest_injected_) = &task;
        newest_injected_ = &task;
        injected_count_.fetch_add(1, memory_order::relaxed);
    }
    machine::full_fence(); // the task before the look at who sleeps
    wake_any();
    any_sleeper([=](worker& w, wanted wish) {
        const bool fits = wish.ctx() == joined || (anybody && wish.ctx() != nullptr);
        return fits && w.sleeping.call() && !anybody;
    });
}

void team::unlink(loose_task& task) noexcept {
    (task.older != nullptr ? task.older->newer : oldest_injected_) = task.newer;
    (task.newer != nullptr ? task.newer->older : newest_injected_) = task.older;
    task.queued = false;
    injected_count_.fetch_sub(1, memory_order::relaxed);
}

task_header* team::take_injected(worker& self, wanted w, queue_part part) noexcept {
    if (injected_count_.load(memory_order::acquire) == 0 || w.executor() != nullptr) {
        return nullptr;
    }
    loose_task* task = nullptr;
    {
        const std::lock_guard lock(mutex_);
        task = oldest_injected_;
        for (int seen = 1; task != nullptr && w.ctx() != nullptr && !w.accepts(*task, 0); ++seen) {
            task = part == queue_part::all || seen < machine::queue_looks ? task->newer : nullptr;
        }
        if (task == nullptr) {
            return nullptr;
        }
        unlink(*task);
    }
    task->joined.begin(&self);
    task->base = self.mine().depth();
    return task;
}

bool team::may_be_taken(const loose_task& task) const noexcept {
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        const worker& w = slot(i);
        if (!w.taken.load(memory_order::acquire) || w.parked.load(memory_order::acquire)) {
            continue;
        }
        if (!w.sleeping.prepared()) {
            return true;
        }
        const wanted wish = wanted::from_word(w.announced.load(memory_order::acquire));
        if (wish.is_any() || (wish.ctx() != nullptr && task.ctx->within(wish.ctx()))) {
            return true;
        }
    }
    return false;
}

bool team::withdraw(worker& self, loose_task& task) noexcept {
    if (task.place == nullptr) {
        const std::lock_guard lock(mutex_);
        const bool found = task.queued;
        if (found) {
            unlink(task);
        }
        return found;
    }
    worker& victim = worker::of(*task.place);
    if (&victim == &self) {
        return self.mine().withdraw(task, self.floor, self.hole);
    }
    for (unsigned turn = 0;; ++turn) {
        const answer a = interrupts() ? request(self, victim, steal_request::kind::withdraw, wanted::any(), &task)
                                      : victim.theirs().withdraw(task, victim.hole);
        if (a != answer::busy) {
            return a == answer::granted;
        }
        if (turn % 8 == 7) { // whoever holds the gate holds it for a bounded number of steps
            port::yield();
        } else {
            machine::pause();
        }
    }
}

task_header* team::take_own(worker& self, wanted w, std::size_t& at) noexcept {
    return self.mine().take_below(at, [&w](const task_header& t) { return w.accepts(t, 0); }, self.floor, self.hole);
}

// --- fork() ---------------------------------------------------------------------------------------------------------

bool team::orphaned() const noexcept { return generation_ != port::process_generation(); }

void team::check_process() const noexcept {
    if (orphaned()) {
        fatal("fork() was called inside a task, and the child goes on with that task; call fork() outside parallel "
              "regions, or only exec() or _exit() in the child");
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
