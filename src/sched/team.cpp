// SPDX-License-Identifier: Apache-2.0

#include "sched/team.hpp"

#include <algorithm>
#include <new>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/cpu.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// An owner that forks answers within nanoseconds. One that has not answered after this is deep in a leaf; the heavy
// fence that then takes its tasks costs about as much.
constexpr double patience_s = 15e-6;
// A region that is over by then is not worth a steal, which costs its owner about as much.
constexpr double youth_s = 1e-6;
// How long to search before sleeping: a few wake-ups' worth (5 to 15 µs each).
constexpr double spin_s = 40e-6;

constinit machine::atomic<std::uint64_t> teams_made{0};

std::uint64_t in_ticks(double seconds) noexcept {
    return static_cast<std::uint64_t>(seconds * port::ticks_per_second());
}

} // namespace

team::team(const team_settings& settings)
    : settings_(settings),
      generation_(port::process_generation()),
      serial_(teams_made.fetch_add(1, std::memory_order_relaxed) + 1),
      patience_(in_ticks(patience_s)),
      youth_(in_ticks(youth_s)),
      spin_time_(in_ticks(settings.crowded ? spin_s / 10 : spin_s)),
      table_(std::make_unique<worker*[]>(settings.max_slots)) {}

team::~team() {
    for (unsigned i = 0; i < slots(); ++i) {
        delete table_[i];
    }
}

worker* team::make_slot(unsigned number) {
    auto fresh = std::make_unique<worker>(*this, root_, number, settings_.protocol);
    if (settings_.places != nullptr) {
        const unsigned place = number % settings_.workers;
        fresh->order = settings_.places->victims_in_distance_order(place, settings_.workers);
        if (place != number) {
            fresh->order.insert(fresh->order.begin(), place); // a foreign thread: its double is as near as can be
        }
    }
    fresh->random += number;
    fresh->ring(); // invariant 1: somebody may be asleep already
    return fresh.release();
}

worker* team::take_slot(worker* hint) {
    const auto take = [](worker& w) {
        return !w.taken.load(std::memory_order_relaxed) && !w.taken.exchange(true, std::memory_order_acquire);
    };
    worker* found = nullptr;
    if (hint != nullptr && take(*hint)) {
        found = hint;
    }
    for (unsigned i = 0; found == nullptr && i < slots(); ++i) {
        found = take(*table_[i]) ? table_[i] : nullptr;
    }
    if (found == nullptr) {
        const std::lock_guard lock(mutex_);
        const unsigned number = slots();
        if (number == settings_.max_slots) {
            return nullptr;
        }
        found = table_[number] = make_slot(number);
        made_.store(number + 1, std::memory_order_release);
    }
    found->entries.store(found->entries.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    found->ctx = &root_;
    return found;
}

void team::free_slot(worker& self) noexcept { self.taken.store(false, std::memory_order_release); }

void team::execute(worker& self, task_header& task) noexcept {
    const context* const before = self.ctx;
    self.ctx = task.ctx;
    self.count.tasks.add();
    task.run(&task);
    self.ctx = before;
}

// --- searching ------------------------------------------------------------------------------------------------------

worker& team::choose(worker& self, unsigned turn, unsigned n) noexcept {
    if (settings_.victims == victim_policy::random) {
        self.random ^= self.random << 13; // xorshift32 (Marsaglia)
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        return *table_[self.random % n];
    }
    if (turn < self.order.size() && self.order[turn] < n) {
        return *table_[self.order[turn]];
    }
    return *table_[(self.slot + 1 + turn) % n];
}

answer team::steal_from(worker& self, worker& victim, wanted w, bool force, task_header*& task) noexcept {
    const auto accept = [&](task_header& t, std::size_t index) {
        if (!w.accepts(t, index)) {
            return false;
        }
        t.joined.begin(&self);
        t.base = self.mine().depth();
        return true;
    };
    const answer result = victim.theirs().steal(accept, force, task);
    if (result == answer::granted) {
        self.count.granted.add();
        self.count.asymmetric.add(force ? 1 : 0);
        stop_searching(w.is_any() && victim.tasks.looks_busy());
    } else if (result == answer::refused) {
        self.count.refused.add();
    }
    return result;
}

answer team::extract_from(worker& self, worker& victim, wanted w, task_header*& task) noexcept {
    const auto accept = [&w](const task_header& t) { return w.accepts(t, 0); };
    const answer result = victim.theirs().extract(accept, victim.hole, task);
    if (result == answer::granted) {
        self.count.granted.add();
        stop_searching(false);
    }
    return result;
}

void team::stop_searching(bool more) noexcept {
    if (sleepers_.load(std::memory_order_relaxed) == 0) {
        return;
    }
    if (more) {
        wake_any();
    }
    ring_all();
}

task_header* team::look(worker& self, wanted w, search& s) noexcept {
    task_header* task = nullptr;
    const auto try_offer = [&](worker& v) {
        return v.theirs().offers() && steal_from(self, v, w, false, task) == answer::granted;
    };
    if (s.asked != nullptr) {
        if (try_offer(*s.asked)) {
            return task;
        }
        if (port::ticks() - s.asked_at > patience_) {
            worker& deaf = *s.asked;
            s.asked = nullptr;
            if (steal_from(self, deaf, w, true, task) == answer::granted) {
                return task;
            }
        }
    }
    const auto consider = [&](worker& v) {
        if (try_offer(v)) {
            return true;
        }
        if (s.asked != nullptr) {
            return false;
        }
        if (!v.theirs().looks_busy()) {
            s.suspect = s.suspect == &v ? nullptr : s.suspect;
            return false;
        }
        if (w.is_any() && !worth_asking(v, s)) {
            return false;
        }
        const std::uint64_t now = port::ticks();
        if (now - s.began <= spin_time_) { // later: whoever has declined so far would again
            v.theirs().ask();
            s.asked = &v;
            s.asked_at = now;
            s.suspect = nullptr;
            self.count.asked.add();
        }
        return false;
    };
    if (const worker_page* const executor = w.executor()) {
        consider(worker::of(*const_cast<worker_page*>(executor)));
        return task;
    }
    const unsigned n = slots();
    const unsigned turns = static_cast<unsigned>(self.order.size()) + n;
    for (unsigned turn = 0; turn < turns; ++turn) {
        worker& v = choose(self, turn, n);
        if (&v != &self && consider(v)) {
            return task;
        }
    }
    return take_injected(self, w);
}

// Short regions that follow each other keep a thief awake, which would otherwise be woken for each, and are left alone.
bool team::worth_asking(worker& victim, search& s) const noexcept {
    const std::uint64_t now = port::ticks();
    const std::uint32_t entry = victim.entries.load(std::memory_order_relaxed); // relaxed: a hint
    if (s.suspect == nullptr || (s.suspect == &victim && s.entry != entry)) {
        s.suspect = &victim;
        s.entry = entry;
        s.suspected_at = now;
        s.began = now;
    }
    return s.suspect == &victim && now - s.suspected_at >= youth_;
}

bool team::expired(const search& s) const noexcept {
    // An unanswered request is waited for: giving up would leave its tasks to nobody.
    return s.asked == nullptr && port::ticks() - s.began > spin_time_;
}

void team::relax(search& s) noexcept {
    if (settings_.crowded && s.turn % 8 == 7) {
        port::yield();
    } else {
        for (unsigned i = 0; i < std::min(1U + s.turn, 64U); ++i) {
            port::pause();
        }
    }
    ++s.turn;
}

// --- sleeping -------------------------------------------------------------------------------------------------------

void team::ring_all() noexcept {
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        table_[i]->ring();
    }
}

bool team::ring_for(worker& /*self*/, wanted w) noexcept {
    if (const worker_page* const executor = w.executor()) {
        const_cast<worker_page*>(executor)->ring();
    } else {
        ring_all();
    }
    if (settings_.protocol == steal_protocol::locked) {
        return true; // every push looks for sleepers, after a full fence
    }
    for (int i = 0; i < 1000; ++i) { // another thread's fence is over in microseconds
        if (machine::heavy_fence()) {
            return true;
        }
        port::pause();
    }
    return false;
}

task_header* team::last_look(worker& self, wanted w, bool& unsure) noexcept {
    task_header* task = nullptr;
    const auto granted = [&](worker& v) {
        if (&v == &self || !v.theirs().looks_busy()) {
            return false;
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
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        if (granted(*table_[i])) {
            return task;
        }
    }
    return take_injected(self, w);
}

void team::answer_push(worker& self, const context* joined) noexcept {
    self.count.deepest.raise_to(self.mine().depth());
    if (sleepers_.load(std::memory_order_relaxed) == 0) { // after attend()'s full fence
        return;
    }
    bool someone_else = false;
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        worker& w = *table_[i];
        if (!w.sleeping.prepared()) {
            continue;
        }
        const wanted wish = wanted::from_word(w.announced.load(std::memory_order_relaxed));
        if (wish.may_use(self, joined)) {
            if (w.sleeping.notify()) {
                self.count.wakes.add();
                if (!wish.is_any() && sleepers_.load(std::memory_order_relaxed) > 1) {
                    self.ring(); // it may leave without a further search: invariant 1
                }
                return;
            }
        } else {
            someone_else = someone_else || wish.ctx() != nullptr;
        }
    }
    if (someone_else) { // its tasks may come later: stay rung
        self.ring();
    }
}

void team::wake_any() noexcept {
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        worker& w = *table_[i];
        if (w.sleeping.prepared() && wanted::from_word(w.announced.load(std::memory_order_relaxed)).is_any() &&
            w.sleeping.notify()) {
            return;
        }
    }
}

void team::stop() noexcept {
    stopping_.store(true, std::memory_order_release);
    machine::full_fence();
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        table_[i]->sleeping.notify();
    }
}

// --- tasks from outside ---------------------------------------------------------------------------------------------

void team::inject(loose_task& task) noexcept {
    const context* const joined = &task.ctx->cover(); // the task may be gone below; only compared
    {
        const std::lock_guard lock(mutex_);
        task.queued = true;
        task.older = newest_injected_;
        (newest_injected_ != nullptr ? newest_injected_->newer : oldest_injected_) = &task;
        newest_injected_ = &task;
        injected_count_.fetch_add(1, std::memory_order_relaxed);
    }
    machine::full_fence(); // the task before the look at who sleeps
    wake_any();
    for (unsigned i = 0, n = slots(); i < n; ++i) {
        worker& w = *table_[i];
        if (w.sleeping.prepared() && wanted::from_word(w.announced.load(std::memory_order_relaxed)).ctx() == joined &&
            w.sleeping.notify()) {
            return;
        }
    }
}

void team::unlink(loose_task& task) noexcept {
    (task.older != nullptr ? task.older->newer : oldest_injected_) = task.newer;
    (task.newer != nullptr ? task.newer->older : newest_injected_) = task.older;
    task.queued = false;
    injected_count_.fetch_sub(1, std::memory_order_relaxed);
}

task_header* team::take_injected(worker& self, wanted w) noexcept {
    if (injected_count_.load(std::memory_order_relaxed) == 0 || w.executor() != nullptr) {
        return nullptr;
    }
    loose_task* task = nullptr;
    bool more = false;
    {
        const std::lock_guard lock(mutex_);
        task = oldest_injected_;
        while (task != nullptr && w.ctx() != nullptr && !w.accepts(*task, 0)) {
            task = task->newer;
        }
        if (task == nullptr) {
            return nullptr;
        }
        unlink(*task);
        more = oldest_injected_ != nullptr;
    }
    task->joined.begin(&self);
    task->base = self.mine().depth();
    stop_searching(more);
    return task;
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
        const answer a = victim.theirs().withdraw(task, victim.hole);
        if (a != answer::busy) {
            return a == answer::granted;
        }
        if (turn % 8 == 7) { // whoever holds the gate holds it for a bounded number of steps
            port::yield();
        } else {
            port::pause();
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
