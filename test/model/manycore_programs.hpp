// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs on the team of sched_world.hpp where caches are kept by software: each task reads what was written before
// it and writes what is read after it.

#include <cstddef>
#include <span>

#include "sched_programs.hpp"

namespace skerry::model {

// The requests of src/sched/steal_interrupt.cpp.
std::span<const std::byte> outbox();

// The first branch ends only when the second has begun, which somebody else must come and take, awake or asleep.
template <steal_protocol Protocol>
struct passing : sched_world {
    passing() : sched_world(2, Protocol, 0) {
        label(begun, "begun");
        label(given, "given");
        label(made, "made");
    }
    void owner() {
        seat(0);
        given.set(1);
        fork(
            *workers_[0], [this] { wait_for(begun, 1); },
            [](sched_world& w, detail::worker&) {
                auto& me = static_cast<passing&>(w);
                require(me.given.get() == 1, "what was written before the fork has not arrived");
                raise(me.begun);
                me.made.set(2);
            });
        require(made.get() == 2, "what the branch has written has not arrived");
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> begun{0};
    plain<int> given{0};
    plain<int> made{0};
};

// The same of a task in a finish block.
template <steal_protocol Protocol>
struct finished : sched_world {
    finished() : sched_world(2, Protocol, 0) {
        label(begun, "begun");
        label(given, "given");
        label(made, "made");
    }
    void owner() {
        seat(0);
        finish(*workers_[0], [this](const detail::context& ctx, detail::latch<detail::machine>& pending) {
            given.set(1);
            async(*workers_[0], ctx, pending, task);
            wait_for(begun, 1);
        });
        require(made.get() == 2, "what the task has written has not arrived");
        team_.stop();
    }
    void thief() { background(1); }
    machine::atomic<int> begun{0};
    plain<int> given{0};
    plain<int> made{0};
    async_task task{*this, [](sched_world& w, detail::worker&) {
                        auto& me = static_cast<finished&>(w);
                        reached("stolen");
                        require(me.given.get() == 1, "what was written before the task has not arrived");
                        raise(me.begun);
                        me.made.set(2);
                    }};
};

} // namespace skerry::model
