// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops of a thread that has nothing of its own to do. Thread safety: the holder of the slot.

#include <utility>

#include "base/port/clock.hpp"
#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Says what a worker waits for, as long as it lives. The watchdog reads it.
class activity_scope {
  public:
    activity_scope(activity& a, const char* text, const void* subject) noexcept
        : activity_(a),
          text_(a.text.load(std::memory_order_relaxed)),
          subject_(a.subject.load(std::memory_order_relaxed)),
          since_(a.since.load(std::memory_order_relaxed)) {
        set(text, subject, port::now_ns());
    }
    activity_scope(const activity_scope&) = delete;
    activity_scope& operator=(const activity_scope&) = delete;
    ~activity_scope() { set(text_, subject_, since_); }

  private:
    // relaxed: a report may mix two states, it is for a person
    void set(const char* text, const void* subject, std::uint64_t since) noexcept {
        activity_.since.store(since, std::memory_order_relaxed);
        activity_.subject.store(subject, std::memory_order_relaxed);
        activity_.text.store(text, std::memory_order_relaxed);
    }

    activity& activity_;
    const char* text_;
    const void* subject_;
    std::uint64_t since_;
};

template <class Condition>
void team::wait(worker& self, wanted w, std::size_t base, Condition& c, const char* text,
                const void* subject) noexcept {
    if (c.done()) {
        return;
    }
    const activity_scope doing(self.doing, text, subject);
    const std::size_t floor = std::exchange(self.floor, base);
    search s{.began = port::ticks()};
    while (!c.done()) {
        task_header* task = self.mine().take_newest(base); // what a task run here has left behind
        if (task == nullptr) {
            task = look(self, w, s);
        }
        if (task != nullptr) {
            execute(self, *task);
            s = search{.began = port::ticks()};
        } else if (expired(s)) {
            sleep(self, w, c);
            s = search{.began = port::ticks()};
        } else {
            relax(s);
        }
    }
    self.floor = floor;
}

template <class Condition>
void team::sleep(worker& self, wanted w, Condition& c) noexcept {
    self.announced.store(w.word(), std::memory_order_relaxed);
    self.sleeping.prepare();                           // Z0
    sleepers_.fetch_add(1, std::memory_order_seq_cst); // Z0 before Z1: an owner that misses the ring sees the count
    const bool fenced = ring_for(self, w);             // Z1, Z2
    bool unsure = false;
    task_header* const task = last_look(self, w, unsure); // Z3
    if (task == nullptr && !unsure && c.arm(self.sleeping)) {
        self.count.sleeps.add();
        if (fenced) {
            self.sleeping.wait();
        } else {
            self.sleeping.wait_for(1'000'000); // somebody may have missed the ring: look again in a millisecond
        }
        c.disarm();
    } else {
        self.sleeping.cancel();
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    if (task != nullptr) {
        execute(self, *task);
    }
}

template <class Retired>
void team::work(worker& self, Retired&& retired) noexcept {
    struct until_stopped {
        const team& home;
        bool done() const noexcept { return home.stopping(); }
        bool arm(bell&) const noexcept { return !home.stopping(); }
        void disarm() const noexcept {}
    } stopped{*this};

    search s{.began = port::ticks()};
    while (!stopped.done() && !retired()) {
        task_header* task = self.mine().take_newest(0); // what a task has left behind
        if (task == nullptr) {
            task = look(self, wanted::any(), s);
        }
        if (task != nullptr) {
            const activity_scope doing(self.doing, "running tasks", nullptr);
            execute(self, *task);
            s = search{.began = port::ticks()};
        } else if (expired(s)) {
            sleep(self, wanted::any(), stopped);
            s = search{.began = port::ticks()};
        } else {
            relax(s);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
