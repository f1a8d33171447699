// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs on the team of sched_world.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "sched/spare_blocks.hpp"
#include "sched_world.hpp"

namespace skerry::model {

using detail::steal_protocol;

// The first branch ends only when the second has begun: somebody else must come and take it, awake or asleep. A fork
// before that answers the ring that every page begins with, so that the one that counts is the sleeper's own.
template <steal_protocol Protocol, int Still = 0, bool Warm = true, unsigned Workers = 2>
struct demanding : sched_world {
    demanding() : sched_world(Workers, Protocol, Still) { label(begun, "begun"); }
    void owner() {
        seat(0);
        if (Warm) {
            fork(*workers_[0], [] {}, [](sched_world&, detail::worker&) {});
        }
        fork(
            *workers_[0],
            [this] {
                busy = true;
                wait_for(begun, 1);
                busy = false;
            },
            [](sched_world& w, detail::worker&) { raise(static_cast<demanding&>(w).begun); });
        team_.stop();
    }
    void thief() { background(1); }
    void second_thief() { background(2); }

    machine::atomic<int> begun{0};
    bool busy = false; // the owner has pushed the branch, answered whoever rang, and is deep in the other one
};

// The same, and it is looked at in every state: while a task lies there whose owner is busy and has told whom it had
// to, the other does not sleep.
template <steal_protocol Protocol>
struct watched : demanding<Protocol> {
    void always() {
        const engine& e = engine::instance();
        require(!(e.asleep(1) && this->busy && e.drained(0) && this->begun.load(memory_order::acquire) == 0),
                "a task lies idle, its owner is busy, and the other sleeps");
    }
};

// The stolen branch leaves a task in the queue, which descends from nothing that waits, and goes on. The owner, who
// waits for the branch, must leave that task alone. A careless one would take anything.
template <steal_protocol Protocol, bool Careless>
struct unrelated : sched_world {
    unrelated() : sched_world(2, Protocol, 0) {
        label(begun, "begun");
        label(ended, "ended");
    }
    void owner() {
        run_deeper(0, [this] {
            branch other(*this, *workers_[0], [](sched_world& w, detail::worker&) {
                auto& me = static_cast<unrelated&>(w);
                me.team_.inject(me.task);
                raise(me.begun);
                if (Careless) {
                    wait_for(me.ended, 1);
                }
            });
            if (workers_[0]->push(&other)) {
                require(detail::attend(*workers_[0]) == detail::attended::pushed, "out of memory");
            }
            wait_for(begun, 1);
            require(!workers_[0]->pop(), "the branch was not stolen");
            if (Careless) {
                detail::task_header* above = nullptr;
                require(workers_[0]->mine().settle(other, above) == detail::settled::stolen, "it was not stolen");
                branch_done condition{other, *workers_[1]};
                team_.wait(*workers_[0], detail::wanted::any(), workers_[0]->mine().depth(), condition, "carelessly",
                           nullptr);
            } else {
                require(!detail::settle_or_wait(*workers_[0], other), "the branch was not stolen");
            }
        });
        wait_for(ended, 1);
        team_.stop();
    }
    void thief() { background(1); }

    struct branch_done {
        branch& other;
        detail::worker& executor;
        bool done() const noexcept { return other.joined.done(); }
        bool arm(detail::bell& b) noexcept { return other.joined.try_wait(&b); }
        bool disarm() noexcept { return other.joined.stop_waiting(&executor); }
    };
    struct outside_task final : detail::loose_task {
        explicit outside_task(unrelated& w) noexcept : loose_task(&run_it, &w.team_.root()), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            unrelated& w = static_cast<outside_task*>(header)->world;
            w.run_deeper(0, [&w] { raise(w.ended); });
        }
        unrelated& world;
    };
    machine::atomic<int> begun{0};
    machine::atomic<int> ended{0};
    outside_task task{*this};
};

// The thief forks inside the stolen branch, and its first branch ends only when its second has begun: the joiner, who
// waits for the thief, must come back and take it (leapfrogging), awake or asleep.
template <steal_protocol Protocol>
struct leapfrogging : sched_world {
    leapfrogging() : sched_world(2, Protocol, 0) {
        label(outer, "outer");
        label(inner, "inner");
    }
    void owner() {
        seat(0);
        fork(
            *workers_[0], [this] { wait_for(outer, 1); },
            [](sched_world& w, detail::worker& self) {
                auto& me = static_cast<leapfrogging&>(w);
                raise(me.outer);
                me.fork(
                    self, [&me] { wait_for(me.inner, 1); },
                    [](sched_world& v, detail::worker& by) {
                        auto& world = static_cast<leapfrogging&>(v);
                        require(&by == world.workers_[0], "the inner branch was not run by the joiner");
                        raise(world.inner);
                    });
            });
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> outer{0};
    machine::atomic<int> inner{0};
};

// A finish block whose task must be begun by somebody else, and whose own task must be begun by the one who waits for
// the block, awake or asleep.
template <steal_protocol Protocol>
struct finishing : sched_world {
    finishing() : sched_world(2, Protocol, 0) {
        label(outer, "outer");
        label(inner, "inner");
    }
    void owner() {
        seat(0);
        finish(*workers_[0], [this](const detail::context& ctx, detail::latch<detail::machine>& pending) {
            async(*workers_[0], ctx, pending, first);
            wait_for(outer, 1);
        });
        require(inner_by == workers_[0], "the inner task was not run by the one who waits");
        team_.stop();
    }
    void thief() { background(1); }

    machine::atomic<int> outer{0};
    machine::atomic<int> inner{0};
    const detail::worker* inner_by = nullptr;
    async_task second{*this, [](sched_world& w, detail::worker& self) {
                          auto& me = static_cast<finishing&>(w);
                          me.inner_by = &self;
                          raise(me.inner);
                      }};
    async_task first{*this, [](sched_world& w, detail::worker& self) {
                         auto& me = static_cast<finishing&>(w);
                         reached("stolen");
                         raise(me.outer);
                         me.async(self, *me.first.ctx, *me.first.pending, me.second);
                         wait_for(me.inner, 1);
                     }};
};

// Forks in one finish block after another, and outside of them: each one's branch is stolen, and runs under the context
// that it was forked under. In the blocks that is the same place of the worker's table.
template <steal_protocol Protocol, int Blocks = 2, bool Outside = true>
struct nesting : sched_world {
    nesting() : sched_world(2, Protocol, 0) {
        label(begun, "begun");
        label(workers_[0]->contexts, "worker0.contexts");
    }
    void owner() {
        seat(0);
        detail::worker& self = *workers_[0];
        for (int blocks = 1; blocks <= Blocks; ++blocks) {
            finish(self, [this, &self, blocks](const detail::context&, detail::latch<detail::machine>&) {
                fork_until(self, blocks);
            });
        }
        if (Outside) {
            fork_until(self, Blocks + 1);
        }
        team_.stop();
    }
    void thief() { background(1); }

    void fork_until(detail::worker& self, int n) {
        fork(
            self, [this, n] { wait_for(begun, n); },
            [](sched_world& w, detail::worker&) { raise(static_cast<nesting&>(w).begun); });
    }
    machine::atomic<int> begun{0};
};

// Nested deeper than the worker's table has places: what is forked there stays with who has forked it. A thief that has
// looked at it and sleeps is called for the next fork further out.
template <steal_protocol Protocol>
struct nesting_too_deep : nesting<Protocol> {
    void owner() {
        this->seat(0);
        detail::worker& self = *this->workers_[0];
        nest(self, detail::machine::most_nested + 1);
        this->fork_until(self, 1);
        this->team_.stop();
    }
    void nest(detail::worker& self, std::size_t further) {
        if (further == 0) {
            this->fork(
                self, [] { reached("too deep"); },
                [](sched_world&, detail::worker& by) { require(by.slot == 0, "stolen without its context"); });
            return;
        }
        const detail::context* const outer = self.ctx;
        const detail::context ctx(outer, nullptr);
        self.contexts.enter(&ctx);
        nest(self, further - 1);
        self.contexts.leave(outer);
    }
};

// A fork whose first branch leaves two tasks of a finish block. The newer, which the joiner runs, ends only when the
// older has begun: somebody else must come and take it, awake or asleep.
template <steal_protocol Protocol>
struct leaving_loose_tasks : sched_world {
    leaving_loose_tasks() : sched_world(2, Protocol, 0) { label(begun, "begun"); }
    void owner() {
        detail::worker& self = *workers_[0];
        finish(self, [this, &self](const detail::context& ctx, detail::latch<detail::machine>& pending) {
            fork(
                self,
                [&] {
                    async(self, ctx, pending, older);
                    async(self, ctx, pending, newer);
                },
                [](sched_world&, detail::worker&) {});
        });
        team_.stop();
    }
    void thief() { background(1); }

    machine::atomic<int> begun{0};
    async_task older{*this, [](sched_world& w, detail::worker&) { raise(static_cast<leaving_loose_tasks&>(w).begun); }};
    async_task newer{*this, [](sched_world& w, detail::worker&) {
                         reached("newer");
                         wait_for(static_cast<leaving_loose_tasks&>(w).begun, 1);
                     }};
};

// A thread from outside gives the worker a task by the queue, which must run it, awake or asleep. Another may take it
// back before, and one that looks for the best may take it.
template <steal_protocol Protocol, unsigned Workers = 1>
struct injecting : sched_world {
    injecting() : sched_world(Workers, Protocol, 0) {
        label(given, "given");
        label(ended, "ended");
    }
    void producer() {
        team_.inject(task);
        raise(given);
        wait_for(ended, 1);
        team_.stop();
    }
    void worker() { background(0); }
    void second_worker() { background(1); }
    void withdrawer() {
        if (given.load(memory_order::acquire) == 1 && team_.withdraw(*workers_[0], task)) {
            reached("withdrawn");
            task.run(&task);
        }
    }
    void chooser() {
        if (given.load(memory_order::acquire) == 0) {
            return;
        }
        const auto score = [this](const detail::loose_task&) {
            return std::optional<std::int64_t>(given.load(memory_order::acquire)); // others may come meanwhile
        };
        if (detail::loose_task* const best = team_.take_injected_best(score)) {
            reached("chosen");
            best->run(best);
        }
    }
    void giver() {
        team_.inject(task);
        raise(given);
    }

    struct outside_task final : detail::loose_task {
        explicit outside_task(injecting& w) noexcept : loose_task(&run_it, &w.team_.root()), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            injecting& w = static_cast<outside_task*>(header)->world;
            require(w.runs == 0, "a task was taken twice");
            ++w.runs;
            if (engine::instance().thread() == 1) {
                reached("run by the other");
            }
            raise(w.ended);
        }
        injecting& world;
    };
    machine::atomic<int> given{0};
    machine::atomic<int> ended{0};
    int runs = 0;
    outside_task task{*this};
};

// Two others give back what a worker has made, while it takes.
struct giving_back {
    static constexpr std::size_t bytes = 64;
    detail::spare_blocks home;
    void* made[2] = {detail::spare_blocks::take(&home, bytes), detail::spare_blocks::take(&home, bytes)};
    void* taken = nullptr;

    void owner() {
        taken = detail::spare_blocks::take(&home, bytes);
        reached(taken == made[0] || taken == made[1] ? "taken again" : "another made");
    }
    void give(std::size_t i) { detail::spare_blocks::give(nullptr, made[i], bytes); }
    void first() { give(0); }
    void second() { give(1); }
    void finally() {
        std::set<void*> all = {taken};
        for (bool again = true; again;) {
            void* const next = detail::spare_blocks::take(&home, bytes);
            again = next == made[0] || next == made[1];
            require(all.insert(next).second, "a block was handed out twice");
        }
        require(all.contains(made[0]) && all.contains(made[1]), "a block was lost");
        for (void* const each : all) {
            detail::spare_blocks::give(&home, each, bytes);
        }
    }
};

// The same, while it frees what it keeps: what is freed is not handed out again, and nothing is lost (the explorer
// counts what is allocated).
struct trimming : giving_back {
    void owner() {
        giving_back::owner();
        home.trim(0);
    }
    void finally() { detail::spare_blocks::give(&home, taken, bytes); }
};

} // namespace skerry::model
