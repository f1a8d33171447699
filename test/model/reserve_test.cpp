// SPDX-License-Identifier: Apache-2.0

// The end of a runtime: what was submitted is run before its threads go, and all of them go. With the reserve, which is
// told of both: src/sched/ending.hpp, as src/runtime/engine.cpp calls it. Threads are there from the beginning, and who
// joins one waits until it has ended. With the faults, by the steps of src/sched/README.md.

#include <array>
#include <cstddef>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expect.hpp"
#include "sched/ending.hpp"
#include "sched_world.hpp"
#include "seeded.hpp"

namespace skerry::model {

namespace {

using detail::steal_protocol;

// A thread from outside submits two tasks, waits for the first without a slot, and ends the runtime. The first one
// leaves another that nobody waits for. With a stand-in, or without one: somebody has blocked and is back.
template <steal_protocol Protocol, bool StandIn>
struct ending_runtime : sched_world {
    ending_runtime() : sched_world(StandIn ? 3 : 2, Protocol, 0) {
        team_.free_slot(*workers_[0]);
        if (StandIn) {
            lent.lend([] { return true; });
            lent.take_back();
        }
        label(team_.detached(), "detached");
        label(spare, "reserve");
        label(ran, "ran");
        label(gone, "gone");
        label(lent, "permits");
    }

    void outside() {
        submit(tasks[0]);
        wait_for(ran, 1);
        submit(tasks[1]);
        end();
    }
    void stands_by() {
        spare.stand_by(*workers_[1]);
        raise(gone);
    }
    void works() {
        background(1);
        raise(gone);
    }
    void stands_in() {
        lent.stand_in(*workers_[2]);
        raise(gone);
    }
    void finally() {
        for (const submitted& t : tasks) {
            require(t.runs == 1, "a task is lost or was run twice");
        }
    }

  private:
    struct submitted final : detail::loose_task {
        submitted() noexcept : loose_task(&run_it, nullptr) {}
        static void run_it(detail::task_header* header) noexcept {
            auto& self = *static_cast<submitted*>(header);
            self.world->run(self);
        }
        ending_runtime* world = nullptr;
        int runs = 0;
    };

    void submit(submitted& task) {
        prepare(task);
        detail::submit_to(team_, spare, task);
    }
    void prepare(submitted& task) {
        task.world = this;
        task.ctx = &team_.root();
        team_.detached().add();
    }
    void run(submitted& task) {
        const int thread = engine::instance().thread();
        reached(thread == 0 ? "by who ends it" : thread == 1 ? "by the other" : "by the stand-in");
        require(!team_.stopping(), "a task is run when the runtime has ended");
        ++task.runs;
        if (&task == &tasks[0]) {
            leave_behind(*workers_[static_cast<std::size_t>(thread)]);
            raise(ran);
        }
        detail::arrive(team_.detached());
    }
    void leave_behind(detail::worker& self) {
        submitted& task = tasks[2];
        prepare(task);
        task.place = &self;
        if (self.mine().push_loose(task) && self.mine().attend()) {
            team_.answer_push(self, &team_.root());
        }
    }
    void end() {
        detail::worker& self = *team_.take_slot(nullptr);
        require(&self == workers_[0], "a slot is taken that is somebody's");
        detail::end_runtime(self, nullptr, [this] {
            detail::stop_threads(team_, spare, lent, [this] { wait_for(gone, StandIn ? 2 : 1); });
        });
        for (unsigned i = 0; i < team_.slots(); ++i) {
            require(i == 0 || team_.slot(i).taken.load(memory_order::acquire), "somebody's slot is free");
            require(!team_.slot(i).tasks.looks_busy(), "a task is left in a deque");
        }
        require(!team_.any_injected(), "a task is left in the queue");
    }

    detail::reserve spare;
    detail::permits lent{1};
    machine::atomic<int> ran{0};
    machine::atomic<int> gone{0};
    std::array<submitted, 3> tasks;
};

using alone = ending_runtime<steal_protocol::asymmetric, false>;
using alone_under_locks = ending_runtime<steal_protocol::locked, false>;
using beside_a_stand_in = ending_runtime<steal_protocol::asymmetric, true>;
const std::set<std::string> by_both = {"by the other", "by who ends it"};

TEST(reserve, a_runtime_ends) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<alone, &alone::outside, &alone::stands_by>(by_both, {.memory = memory});
    }
}
TEST(reserve, a_runtime_ends_under_locks) {
    using w = alone_under_locks;
    expect_well<w, &w::outside, &w::stands_by>(by_both);
}
TEST(rc11, a_runtime_ends) {
    expect_well<alone, &alone::outside, &alone::stands_by>(by_both, {.memory = memory_order_of::rc11, .newest = 2});
}
TEST(reserve, a_runtime_with_a_worker_ends) {
    expect_well<alone, &alone::outside, &alone::works>(by_both);
    using w = alone_under_locks;
    expect_well<w, &w::outside, &w::works>(by_both);
}
TEST(reserve, a_runtime_with_a_stand_in_ends) {
    using w = beside_a_stand_in;
    expect_well<w, &w::outside, &w::stands_by, &w::stands_in>(by_both, {.memory = memory_order_of::sequential});
}

// A thread that is not of the team hands over a task that a frame waits for, and the runtime ends behind the frame: not
// before that thread is out of it, too.
struct visited : sched_world {
    visited() : sched_world(1, steal_protocol::asymmetric, 0) {
        label(team_.detached(), "detached");
        label(around, "around");
    }
    void owner() {
        detail::worker& self = *workers_[0];
        {
            detail::latch<detail::machine> pending(1);
            const detail::context ctx(self.ctx, &pending);
            const detail::context* const outer = self.ctx;
            self.contexts.enter(&ctx);
            around.store(&ctx, memory_order::release);
            detail::latch_done condition(pending);
            team_.wait(self, detail::wanted::within(&ctx), 0, condition, "frame", nullptr);
            self.contexts.leave(outer);
        }
        require(runs == 1, "the task is lost or was run twice");
        detail::end_runtime(self, nullptr, [this] { detail::stop_threads(team_, *spare, lent, [] {}); });
        delete spare;
    }
    void visitor() {
        while ((task.ctx = around.load(memory_order::acquire)) == nullptr) {
            machine::pause();
        }
        detail::submit_to(team_, *spare, task);
        reached("back");
    }

  private:
    struct submitted final : detail::loose_task {
        explicit submitted(visited& w) noexcept : loose_task(&run_it, nullptr), world(w) {}
        static void run_it(detail::task_header* header) noexcept {
            auto& self = *static_cast<submitted*>(header);
            ++self.world.runs;
            detail::arrive(*self.ctx->pending);
        }
        visited& world;
    };

    detail::reserve* spare = new detail::reserve;
    detail::permits lent{1};
    machine::atomic<const detail::context*> around{nullptr};
    int runs = 0;
    submitted task{*this};
};

TEST(reserve, a_runtime_does_not_end_before_a_visitor_is_out) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<visited, &visited::owner, &visited::visitor>({"back"}, {.memory = memory});
    }
}
TEST(rc11, a_visitor) {
    expect_well<visited, &visited::owner, &visited::visitor>({"back"}, {.memory = memory_order_of::rc11, .newest = 2});
}

// Whoever waits in a team for tasks of another one goes with its team: not before the thread that ended the last of
// them, which nobody joins, is out of its bell, though it was awake for another reason.
struct leaving_team : sched_world {
    leaving_team() : sched_world(1, steal_protocol::asymmetric, 0), of_world(workers_[0]) {
        label(pending, "latch");
        label(gone, "gone");
        label(place->sleeping, "bell");
        workers_[0] = place;
    }
    void waiter() {
        {
            const detail::context ctx(place->ctx, &pending);
            detail::latch_done condition(pending);
            home->wait(*place, detail::wanted::within(&ctx), 0, condition, "tasks of another team", nullptr);
        }
        wait_for(gone, 1);
        workers_[0] = of_world;
        put_page(0);
        home->free_slot(*place);
        delete home;
    }
    void finisher() { detail::arrive(pending); }
    void rouser() {
        if (place->sleeping.call()) {
            reached("roused");
        }
        raise(gone);
    }

  private:
    detail::worker* const of_world;
    detail::team* home =
        new detail::team({.workers = 1, .max_slots = 1, .protocol = steal_protocol::asymmetric, .places = nullptr});
    detail::worker* place = home->take_slot(nullptr);
    detail::latch<detail::machine> pending{1};
    machine::atomic<int> gone{0};
};

TEST(reserve, a_team_goes_when_the_bell_has_been_delivered) {
    using w = leaving_team;
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<w, &w::waiter, &w::finisher, &w::rouser>({"roused"}, {.memory = memory});
    }
}
TEST(rc11, a_team_goes_when_the_bell_has_been_delivered) {
    using w = leaving_team;
    expect_well<w, &w::waiter, &w::finisher, &w::rouser>({"roused"}, {.memory = memory_order_of::rc11, .newest = 2});
}

// --- faults ---------------------------------------------------------------------------------------------------------

constexpr auto run_visited = run_world<visited, &visited::owner, &visited::visitor>;
constexpr auto run_leaving =
    run_world<leaving_team, &leaving_team::waiter, &leaving_team::finisher, &leaving_team::rouser>;
constexpr auto run_alone = run_world<alone, &alone::outside, &alone::stands_by>;
const std::set<std::string> hangs = {"no end", "deadlock"};

bool is_reserve() { return engine::instance().thread() == 1; }
// In the eyes of the thread that asks.
bool first_has_run() { return seen("ran", 4) != 0; }
bool will_sleep() { return seen("reserve", 4) == 1; }
// The look of who tells whether there is somebody to be told.
bool looks_for_the_reserve(const request& r) { return is(r, action::load, "end_wait") && touches(r, "reserve"); }

const seeded all[] = {
    {"reserve V1", "the_reserve_not_told_of_a_task",
     [](request& r, reply& answer) {
         answer.value = 0;
         return looks_for_the_reserve(r) && !first_has_run();
     },
     run_alone, hangs},
    {"reserve V1", "the_reserve_not_told_of_the_end",
     [](request& r, reply& answer) {
         answer.value = 0;
         return looks_for_the_reserve(r) && first_has_run();
     },
     run_alone, hangs},
    {"reserve V2", "the_reserve_looks_before_it_says_that_it_will_sleep",
     [](request& r, reply& answer) {
         if (!is(r, action::load, "any_injected") || !is_reserve()) {
             return is(r, action::store, "prepare") && is_reserve();
         }
         answer = perform(r);
         r.what = action::store;
         r.address = engine::instance().place_of("reserve");
         r.operand = 1;
         r.size = 4;
         r.order = to_byte(memory_order::release);
         perform(r);
         return true;
     },
     run_alone, hangs},
    {"reserve V2", "no_fence_before_the_look_of_the_reserve",
     [](request& r, reply&) { return is(r, action::full_fence, "prepare") && is_reserve(); }, run_alone, hangs},
    {"reserve V3", "no_look_at_the_queue_before_the_reserve_sleeps",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "any_injected") && is_reserve();
     },
     run_alone, hangs},
    {"reserve V3", "no_look_at_the_end_before_the_reserve_sleeps",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "stopping") && is_reserve() && will_sleep();
     },
     run_alone, hangs},
    {"reserve V4", "the_queue_not_looked_at_by_the_reserve",
     [](request& r, reply& answer) {
         answer.value = 0;
         return is(r, action::load, "take_injected") && is_reserve();
     },
     run_alone, hangs},
    {"reserve V5",
     "the_end_not_put_off_until_the_last_task_has_run",
     [](request& r, reply& answer) {
         answer.value = 1; // who waits, and nobody else
         return is(r, action::load, "alone") && !is_reserve();
     },
     run_alone,
     {"require"}},
    {"reserve V6",
     "a_visitor_not_counted",
     [](request& r, reply& answer) {
         answer.value = 2; // of which it would be one
         return r.what == action::add && touches(r, "detached") && engine::instance().thread() == 1;
     },
     run_visited,
     {"use after free"}},
    {"event count E6",
     "a_team_goes_before_the_delivery",
     [](request& r, reply& answer) {
         answer.value = 8;
         return is(r, action::load, "await_delivery");
     },
     run_leaving,
     {"use after free"}},
};

class reserve_fault : public testing::TestWithParam<seeded> {};
TEST_P(reserve_fault, is_found) { expect_found(GetParam()); }
INSTANTIATE_TEST_SUITE_P(seeded, reserve_fault, testing::ValuesIn(all), name_of_case);

} // namespace

} // namespace skerry::model
