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
template <steal_protocol Protocol, int Still = 0, bool Warm = true>
struct demanding : sched_world {
    demanding() : sched_world(2, Protocol, Still) { label(begun, "begun"); }
    void owner() {
        if (Warm) {
            fork(*workers_[0], [] {}, [](sched_world&, detail::worker&) {});
        }
        fork(
            *workers_[0], [this] { wait_for(begun, 1); },
            [](sched_world& w, detail::worker&) { raise(static_cast<demanding&>(w).begun); });
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> begun{0};
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
        if (given.load(std::memory_order_acquire) == 1 && team_.withdraw(*workers_[0], task)) {
            reached("withdrawn");
            task.run(&task);
        }
    }
    void chooser() {
        if (given.load(std::memory_order_acquire) == 0) {
            return;
        }
        const auto score = [this](const detail::loose_task&) {
            return std::optional<std::int64_t>(given.load(std::memory_order_acquire)); // others may come meanwhile
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

} // namespace skerry::model
