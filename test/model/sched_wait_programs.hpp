// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small programs around one step of those who wait: who was called and stops searching (relay), whose branch has ended
// (leapfrogging), who only looks at a task. The workers have short lives, so that three of them are few states.

#include "sched_programs.hpp"

namespace skerry::model {

// A wait that is over when its worker wakes; or, if it is AtOnce, when that has looked for the last time before it
// sleeps.
template <bool AtOnce = false>
struct one_sleep {
    machine::atomic<int>& asleep; // is told that the worker will sleep, having looked
    bool over = false;

    bool done() const noexcept { return over; }
    bool arm(detail::bell&) noexcept {
        over = AtOnce;
        if (!AtOnce) {
            asleep.fetch_add(1, memory_order::release);
        }
        return !AtOnce;
    }
    bool disarm() noexcept { return over = true; }
};

// Worker 2 sleeps, and takes anything or, if it Waits, what the owner pushes. Worker 1, who counts as asleep, is called
// and stops searching as a stand-in does that goes. If it tells nobody, the owner waits for ever.
template <bool Waits>
struct called_and_gone : sched_world {
    called_and_gone() : sched_world(3, steal_protocol::asymmetric, 0) {
        label(asleep, "asleep");
        label(begun, "begun");
        workers_[1]->announced.store(detail::wanted::any().word(), memory_order::release);
        workers_[1]->sleeping.prepare();
        never.begin(workers_[0]);
    }
    void owner() {
        wait_for(asleep, 1);
        require(detail::attend(*workers_[0]) == detail::attended::pushed,
                "out of memory"); // a push before finds the ring, and calls
        fork(*workers_[0], [this] { wait_for(begun, 1); }, [](sched_world&, detail::worker&) {});
        team_.stop();
    }
    void called() {
        if (workers_[1]->sleeping.wait()) {
            reached("called");
            team_.pass_on(*workers_[1]);
        }
    }
    void sleeper() {
        one_sleep condition{asleep};
        team_.wait(*workers_[2], Waits ? detail::wanted::of_executor(workers_[0], 0, never) : detail::wanted::any(), 0,
                   condition, "sleeps once", nullptr);
        raise(begun); // it would find the branch now
    }

    machine::atomic<int> asleep{0};
    machine::atomic<int> begun{0};
    detail::join_word<detail::machine> never;
};

// A task comes through the queue while the second worker sleeps. The first is called for it if it has said that it will
// sleep, but then its wait is over.
template <bool AtOnce>
struct called_in_vain : sched_world {
    called_in_vain() : sched_world(2, steal_protocol::locked, 0) {
        label(asleep, "asleep");
        label(begun, "begun");
    }
    void first() {
        one_sleep<AtOnce> condition{asleep};
        team_.wait(*workers_[0], detail::wanted::any(), 0, condition, "sleeps once", nullptr);
    }
    void second() {
        one_sleep condition{asleep};
        team_.wait(*workers_[1], detail::wanted::any(), 0, condition, "sleeps once", nullptr);
        raise(begun); // it would find the task now
    }
    void producer() {
        wait_for(asleep, AtOnce ? 1 : 2);
        team_.inject(task);
        wait_for(begun, 1);
        team_.stop();
    }

    struct outside_task final : detail::loose_task {
        explicit outside_task(called_in_vain& w) noexcept : loose_task(&run_it, &w.team_.root()), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            raise(static_cast<outside_task*>(header)->world.begun);
        }
        called_in_vain& world;
    };
    machine::atomic<int> asleep{0};
    machine::atomic<int> begun{0};
    outside_task task{*this};
};

// The stolen branch leaves a task in the queue. Its thief runs that afterwards, which forks: nothing that the owner,
// who waits for the branch, may take. It runs deep in a tree, and the fork is not.
struct forking_afterwards : sched_world {
    forking_afterwards() : sched_world(2, steal_protocol::locked, 0) {
        label(begun, "begun");
        label(ended, "ended");
        label(workers_[1]->tasks, "worker1.tasks");
    }
    void owner() {
        constexpr int deep = 5;
        run_deeper(deep, [this] {
            branch other(*this, *workers_[0], [](sched_world& w, detail::worker&) {
                auto& me = static_cast<forking_afterwards&>(w);
                me.team_.inject(me.task);
                raise(me.begun);
            });
            label(other.joined, "branch");
            if (workers_[0]->push(&other)) {
                require(detail::attend(*workers_[0]) == detail::attended::pushed, "out of memory");
            }
            wait_for(begun, 1);
            require(!workers_[0]->pop() && !detail::settle_or_wait(*workers_[0], other), "the branch was not stolen");
        });
        wait_for(ended, 1);
        team_.stop();
    }
    void thief() { background(1); }

    struct outside_task final : detail::loose_task {
        explicit outside_task(forking_afterwards& w) noexcept : loose_task(&run_it, &w.team_.root()), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            forking_afterwards& w = static_cast<outside_task*>(header)->world;
            w.run_deeper(0, [&w] { w.fork(*w.workers_[1], [] {}, [](sched_world&, detail::worker&) {}); });
            raise(w.ended);
        }
        forking_afterwards& world;
    };
    machine::atomic<int> begun{0};
    machine::atomic<int> ended{0};
    outside_task task{*this};
};

// Forks under two contexts, one after the other, at the same place of a stack. Who looks for tasks of another context
// takes neither.
struct looking_only : sched_world {
    looking_only()
        : sched_world(2, steal_protocol::locked, 0),
          first(&team_.root(), nullptr),
          second(&team_.root(), nullptr),
          elsewhere(&team_.root(), nullptr) {}
    void owner() {
        detail::worker& self = *workers_[0];
        for (const detail::context* const around : {&first, &second}) {
            const detail::context* const outer = self.ctx;
            self.contexts.enter(around);
            fork_under(self, *around);
            self.contexts.leave(outer);
        }
        team_.stop();
    }
    void thief() {
        until_stopped condition{team_};
        team_.wait(*workers_[1], detail::wanted::within(&elsewhere), 0, condition, "looks", nullptr);
    }

  private:
    struct until_stopped {
        const detail::team& home;
        bool done() const noexcept { return home.stopping(); }
        bool arm(detail::bell&) const noexcept { return !done(); }
        bool disarm() const noexcept { return true; }
    };
    [[gnu::noinline]] void fork_under(detail::worker& self, const detail::context& ctx) {
        branch other(*this, self, [](sched_world&, detail::worker&) {});
        auto* const at = self.next();
        if (self.push_at(at, &other)) {
            require(detail::attend(self) == detail::attended::pushed, "out of memory");
        }
        require(self.pop_at(at) || detail::settle_or_wait(self, other), "it was stolen");
        require(other.nesting() != 0 || other.ctx == &ctx, "who looked at a task gave it the context of another");
        if (other.nesting() == 0) {
            reached("looked at");
        }
    }
    const detail::context first;
    const detail::context second;
    const detail::context elsewhere;
};

} // namespace skerry::model
