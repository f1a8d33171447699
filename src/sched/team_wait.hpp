// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops of a thread that has nothing of its own to do. Thread safety: the holder of the slot.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include "base/port/clock.hpp"
#include "base/port/frame.hpp"
#include "base/port/thread.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Says what a worker does, as long as it lives, to the observer of waits if there is one. `text` is a literal; null:
// nothing that anybody should hear of. `Trace`: as worker::with_trace() has it; where that is nothing, this is nothing.
template <class Trace>
class activity_scope {
  public:
    activity_scope(const worker& self, const char* text, const void* subject) noexcept
        : observer_(text != nullptr ? self.home.observer() : nullptr),
          slot_(self.slot) {
        if (observer_ != nullptr) [[unlikely]] {
            before_ = observer_->notes(slot_, {.text = text, .subject = subject, .since = port::now_ns()});
        }
    }
    activity_scope(const activity_scope&) = delete;
    activity_scope& operator=(const activity_scope&) = delete;
    ~activity_scope() {
        if (observer_ != nullptr) [[unlikely]] {
            observer_->notes(slot_, before_);
        }
    }

  private:
    wait_observer* const observer_;
    const unsigned slot_;
    wait_note before_;
};
template <>
class activity_scope<null_trace> {
  public:
    activity_scope(const worker&, const char*, const void*) noexcept {}
};

// Says to that observer what task a worker runs, as long as it lives.
class running_scope {
  public:
    running_scope(const worker& self, const naming& what) noexcept : observer_(self.home.observer()), slot_(self.slot) {
        if (observer_ != nullptr) [[unlikely]] {
            before_ = observer_->running(slot_);
            const std::uint64_t now = port::now_ns();
            observer_->runs(slot_, {.what = what, .since = now, .task_since = now});
        }
    }
    running_scope(const running_scope&) = delete;
    running_scope& operator=(const running_scope&) = delete;
    ~running_scope() {
        if (observer_ != nullptr) [[unlikely]] {
            observer_->runs(slot_, before_);
        }
    }

  private:
    wait_observer* const observer_;
    const unsigned slot_;
    running_note before_;
};

// While a task runs, the worker may hold counts ahead of the latch that covers what the task begins. Those that are
// left are given back: the task may have been all that kept the latch alive.
class ahead_scope {
  public:
    ahead_scope(worker& self, latch<machine>* covering) noexcept
        : self_(self),
          around_(self.ahead),
          inner_(around_.of != covering) {
        if (inner_) {
            self.ahead = {covering, 0};
        }
    }
    ahead_scope(const ahead_scope&) = delete;
    ahead_scope& operator=(const ahead_scope&) = delete;
    ~ahead_scope() {
        if (inner_) {
            const counts_ahead left = std::exchange(self_.ahead, around_);
            if (left.held != 0) {
                arrive(*left.of, left.held); // C2
            }
        }
    }

  private:
    worker& self_;
    const counts_ahead around_;
    const bool inner_;
};

// Tells what lies beyond the team while a worker finds nothing.
class idleness {
  public:
    idleness(const team& t, wanted w) noexcept : home_(t), wanted_(w) {}
    idleness(const idleness&) = delete;
    idleness& operator=(const idleness&) = delete;
    ~idleness() { end(); }

    // True: it has just been told, which may take a while.
    bool begin() noexcept {
        if (told_ != nullptr) {
            return false;
        }
        told_ = home_.beyond();
        if (told_ != nullptr) {
            told_->idles(wanted_);
        }
        return told_ != nullptr;
    }
    void end() noexcept {
        if (outward* const t = std::exchange(told_, nullptr)) {
            t->idles_no_more(wanted_);
        }
    }

  private:
    const team& home_;
    const wanted wanted_;
    outward* told_ = nullptr;
};

template <class Trace>
void team::execute(worker& self, Trace trace, task_header& task, successors what_follows) noexcept {
    const ahead_scope counts(self, task.ctx->pending);
    const context* const before = self.ctx;
    const void* const entered = std::exchange(self.entered, port::this_frame());
    self.contexts.enter(task.ctx);
    self.what_follows = what_follows;
    self.count.tasks.add();
    if constexpr (std::is_same_v<Trace, null_trace>) {
        task.run(&task);
    } else {
        const naming what = naming_of(task); // the task may be gone when it has run
        const running_scope running(self, what);
        if (trace.on() && task.run != settings_.tells_itself) {
            const std::uint64_t id = trace_id(&task);
            trace.start(id, what.address, what.kind);
            task.run(&task);
            trace.end(id);
        } else {
            task.run(&task);
        }
    }
    self.contexts.leave(before);
    self.entered = entered;
    if (stops(*before)) [[unlikely]] {
        alert_itself(self); // T7
    }
}

template <class Condition>
void team::wait(worker& self, wanted w, std::size_t base, Condition& c, const char* text,
                const void* subject) noexcept {
    self.with_trace([&](auto trace) { wait_as(self, trace, w, base, c, text, subject); });
}

template <class Trace, class Condition>
void team::wait_as(worker& self, Trace trace, wanted w, std::size_t base, Condition& c, const char* text,
                   const void* subject) noexcept {
    if (c.done()) {
        machine::discard_all(coherence_step::task_joined);
        return;
    }
    const activity_scope<Trace> doing(self, text, subject);
    if (text != nullptr) {
        trace.wait(trace_id(subject), trace_id(text));
    }
    const std::size_t floor = std::exchange(self.floor, base);
    const successors what_follows = w.executor() != nullptr ? successors::elsewhere : successors::here;
    search s;
    begin_search(self, s, false);
    idleness idle(*this, w);
    while (!c.done()) {
        task_header* task = self.mine().take_newest(base); // what a task run here has left behind
        if (task == nullptr) {
            task = look(self, w, s);
        }
        if (task == nullptr) {
            if (idle.begin()) {
                s.began = port::ticks();
            }
            if (!expired(self, s)) {
                relax(s);
                continue;
            }
            if (!w.is_any()) {
                relay(self); // its last look would not see what others may take
            }
            task = sleep(self, w, c);
        }
        if (task != nullptr) {
            idle.end();
            relay(self);
            execute(self, trace, *task, what_follows);
        }
        begin_search(self, s, task == nullptr);
    }
    idle.end();
    relay(self);
    self.floor = floor;
    machine::discard_all(coherence_step::task_joined);
    if (text != nullptr) {
        trace.resume(trace_id(subject));
    }
}

template <class Condition>
void team::wait_from_here(worker& self, wanted w, Condition& c, const char* text, const void* subject) noexcept {
    self.with_trace([&](auto trace) {
        run_own(self, trace, w, c);
        wait_as(self, trace, w, self.mine().depth(), c, text, subject);
    });
}

// Newest first, each with what it leaves behind: that lies above the others.
template <class Trace, class Condition>
void team::run_own(worker& self, Trace trace, wanted w, Condition& c) noexcept {
    for (std::size_t at = self.mine().depth(); !c.done();) {
        task_header* const task = take_own(self, w, at);
        if (task == nullptr) {
            break;
        }
        const std::size_t base = self.mine().depth();
        const std::size_t floor = std::exchange(self.floor, base);
        execute(self, trace, *task, successors::here);
        while (task_header* const left = self.mine().take_newest(base)) {
            execute(self, trace, *left, successors::here);
        }
        self.floor = floor;
    }
}

// A fence lasts until the last processor that runs a thread of the process has taken part. A virtual one may be away
// for a millisecond just then.
template <class Over>
bool team::ring_for(wanted w, Over&& over) noexcept {
    const auto goes_on = [&] {
        settings_.crowded ? port::yield() : machine::pause();
        return !over();
    };
    return !ring_pages(w) || fence_.pass(goes_on) == heavy_fence::passed;
}

// Until the bell rings, or the condition's time is over, if it has one. True: it has been called.
template <class Condition>
bool sleep_for(bell& b, const Condition& c, bool fenced) noexcept {
    constexpr std::uint64_t look_again_ns = 1'000'000; // without a fence somebody may have missed the ring
    if constexpr (requires { c.time_left_ns(); }) {
        return b.wait_for(std::min(c.time_left_ns(), fenced ? ~std::uint64_t{0} : look_again_ns));
    } else {
        return fenced ? b.wait() : b.wait_for(look_again_ns);
    }
}

template <class Condition>
task_header* team::sleep(worker& self, wanted w, Condition& c) noexcept {
    self.announced.store(w.word(), memory_order::release);
    self.sleeping.prepare();                       // Z0
    sleepers_.fetch_add(1, memory_order::relaxed); // Z0
    // Z0 before Z1, Z3: an owner that answers the ring sees the count. A fence, for on arm64 without LSE what follows a
    // read-modify-write of any order may overtake its store.
    machine::full_fence();
    const bool fenced = ring_for(w, [&c] { return c.done(); }); // Z1, Z2
    bool unsure = false;
    task_header* const task = !fenced && c.done() ? nullptr : last_look(self, w, unsure); // Z3
    outward* const to = beyond();
    if (task == nullptr && !unsure && (to == nullptr || !to->keeps_awake()) && c.arm(self.sleeping)) {
        if (to != nullptr) {
            to->falls_asleep();
        }
        self.count.sleeps.add();
        if (wait_observer* const tells = observer()) [[unlikely]] {
            tells->sleeps(self.slot);
        }
        self.trace.sleep();
        const bool called = sleep_for(self.sleeping, c, fenced);
        self.roused = (called || !fenced) && !interrupts(); // R1; there, whoever wakes one of several stays rung
        self.trace.wake();
        if (!c.disarm()) {
            self.sleeping.await_delivery();
        }
    } else {
        self.roused = self.sleeping.cancel() || self.roused; // R1
    }
    sleepers_.fetch_sub(1, memory_order::relaxed);
    return task;
}

template <class Retired>
void team::work(worker& self, Retired&& retired) noexcept {
    self.with_trace([&](auto trace) { work_as(self, trace, retired); });
}

template <class Trace, class Retired>
void team::work_as(worker& self, Trace trace, Retired&& retired) noexcept {
    struct until_stopped {
        const team& home;
        bool done() const noexcept { return home.stopping(); }
        bool arm(bell&) const noexcept { return !home.stopping(); }
        bool disarm() const noexcept { return true; }
    } stopped{*this};

    search s;
    begin_search(self, s, true);
    idleness idle(*this, wanted::any());
    while (!stopped.done() && !retired()) {
        task_header* task = self.mine().take_newest(0); // what a task has left behind
        if (task == nullptr) {
            task = look(self, wanted::any(), s);
        }
        if (task == nullptr) {
            if (idle.begin()) {
                s.began = port::ticks();
            }
            if (!expired(self, s)) {
                relax(s);
                continue;
            }
            self.spare.trim();
            task = sleep(self, wanted::any(), stopped);
        }
        if (task != nullptr) {
            idle.end();
            relay(self);
            const activity_scope<Trace> doing(self, "running tasks", nullptr);
            execute(self, trace, *task, successors::here);
        }
        begin_search(self, s, task == nullptr);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
