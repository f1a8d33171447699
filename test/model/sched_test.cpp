// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "expect.hpp"
#include "sched_programs.hpp"

namespace skerry::model {

namespace {

template <class World>
result run(const options& o) {
    return explore<World, &World::owner, &World::thief>(o);
}

template <class World>
void expect_end(const options& o = {}) {
    const result r = run<World>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_TRUE(r.goals.contains("stolen"));
}

TEST(sched, a_task_reaches_a_sleeper) { expect_end<demanding<steal_protocol::asymmetric>>(); }
TEST(sched, a_task_reaches_a_searcher) { expect_end<demanding<steal_protocol::asymmetric, 2, false>>(); }
TEST(sched, a_task_reaches_a_sleeper_under_locks) { expect_end<demanding<steal_protocol::locked>>(); }

TEST(sched, a_joiner_helps_its_thief) { expect_end<leapfrogging<steal_protocol::asymmetric>>(); }
TEST(sched, a_joiner_helps_its_thief_under_locks) { expect_end<leapfrogging<steal_protocol::locked>>(); }

TEST(sched, a_finish_block_helps_its_tasks) { expect_end<finishing<steal_protocol::asymmetric>>(); }
TEST(sched, tasks_left_above_a_fork) { expect_end<leaving_loose_tasks<steal_protocol::asymmetric>>(); }
TEST(sched, tasks_left_above_a_fork_under_locks) { expect_end<leaving_loose_tasks<steal_protocol::locked>>(); }
TEST(sched, a_finish_block_helps_its_tasks_under_locks) { expect_end<finishing<steal_protocol::locked>>(); }

TEST(sched, a_stolen_branch_inherits_its_context) {
    expect_end<nesting<steal_protocol::asymmetric>>();
    expect_end<nesting<steal_protocol::locked>>();
}
TEST(sched, a_branch_forked_too_deep_stays) {
    expect_end<nesting_too_deep<steal_protocol::asymmetric>>();
    expect_end<nesting_too_deep<steal_protocol::locked>>();
}

// Work is never idle while those who could take it sleep: a look at each state, and a ring left out shows it to see.
TEST(sched, nobody_sleeps_beside_an_idle_task) {
    expect_end<watched<steal_protocol::asymmetric>>();
    expect_end<watched<steal_protocol::locked>>();
    const result r = run<watched<steal_protocol::asymmetric>>(
        {.fault = [](request& asked, reply&) { return asked.what == action::store && asked.in("ring"); }});
    EXPECT_EQ(r.kind, "require");
    EXPECT_NE(r.text.find("a task lies idle"), std::string::npos) << r.report;
}

// What runs on a stack descends from what is below: every program here is looked at for it, and one breaks it.
TEST(sched, nothing_unrelated_on_top_of_a_wait) {
    const result right = run<unrelated<steal_protocol::asymmetric, false>>({});
    EXPECT_TRUE(right.ok) << right.report;
    const result wrong = run<unrelated<steal_protocol::asymmetric, true>>({});
    EXPECT_EQ(wrong.kind, "require");
    EXPECT_NE(wrong.text.find("the stack is not bounded"), std::string::npos) << wrong.report;
}

// A sleeper that cannot have its heavy fence wakes by itself.
TEST(sched, no_heavy_fence_for_sleepers) {
    const result r = run<demanding<steal_protocol::asymmetric>>({.fault = [](request& asked, reply& answer) {
        const bool refused = asked.what == action::heavy_fence && asked.in("pass");
        if (refused) {
            reached("refused");
            answer.done = false;
        }
        return refused;
    }});
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_TRUE(r.goals.contains("refused"));
    EXPECT_TRUE(r.goals.contains("stolen"));
}

// Under x86-TSO and the memory of C++.
template <auto... Threads>
void expect_run(const std::set<std::string>& goals) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::rc11}) {
        expect_well<injecting<steal_protocol::asymmetric>, Threads...>(goals, {.memory = memory});
    }
}

TEST(sched, a_task_from_outside_is_run_once) {
    using world = injecting<steal_protocol::asymmetric>;
    expect_run<&world::producer, &world::worker>({"run by the other"});
    expect_run<&world::producer, &world::worker, &world::withdrawer>({"run by the other", "withdrawn"});
    expect_run<&world::giver, &world::chooser, &world::withdrawer>({"chosen", "run by the other", "withdrawn"});
}

TEST(sched, blocks_given_back_are_neither_lost_nor_doubled) {
    using world = giving_back;
    for (const options& o : {options{}, options{.memory = memory_order_of::rc11}}) {
        expect_well<world, &world::owner, &world::first, &world::second>({"another made", "taken again"}, o);
    }
}

TEST(sched, blocks_are_freed_once) {
    using world = trimming;
    for (const options& o : {options{}, options{.memory = memory_order_of::rc11}}) {
        expect_well<world, &world::owner, &world::first, &world::second>({"another made", "taken again"}, o);
    }
}

// A thief that cannot sleep yet, beside an owner that looks at nothing, would leave stores without end that the owner
// may still read: each reads one of the `newest`.
options c_plus_plus(std::uint8_t newest) {
    return {.memory = memory_order_of::rc11, .max_states = 60'000'000, .newest = newest};
}

TEST(rc11, a_task_reaches_a_sleeper) { expect_end<demanding<steal_protocol::asymmetric, 0, false>>(c_plus_plus(4)); }
TEST(rc11, a_task_reaches_a_sleeper_under_locks) {
    expect_end<demanding<steal_protocol::locked, 0, false>>(c_plus_plus(4));
    expect_end<demanding<steal_protocol::locked>>(c_plus_plus(2));
}
TEST(rc11, a_stolen_branch_inherits_its_context_under_locks) {
    expect_end<nesting<steal_protocol::locked, 1, false>>(c_plus_plus(2));
}

// With one store to read there is none that is old: what is left of the memory of C++ are its races.
const options with_races = c_plus_plus(1);

TEST(sequential_with_races, a_joiner_helps_its_thief_under_locks) {
    expect_end<leapfrogging<steal_protocol::locked>>(with_races);
}
TEST(sequential_with_races, a_finish_block_helps_its_tasks_under_locks) {
    expect_end<finishing<steal_protocol::locked>>(with_races);
}
TEST(sequential_with_races, a_stolen_branch_inherits_its_context_under_locks) {
    expect_end<nesting<steal_protocol::locked>>(with_races);
}
TEST(sequential_with_races, tasks_left_above_a_fork_under_locks) {
    expect_end<leaving_loose_tasks<steal_protocol::locked>>(with_races);
}

// Larger ones, for `tools/model --deep`: up to minutes each, which `make test` does not have.
constexpr options deep = {.max_states = 60'000'000};

TEST(DISABLED_deep, a_warm_task_reaches_a_sleeper_in_c_plus_plus) {
    expect_end<demanding<steal_protocol::asymmetric>>(c_plus_plus(3));
}
TEST(DISABLED_deep, a_joiner_helps_its_thief_sequential_with_races) {
    expect_end<leapfrogging<steal_protocol::asymmetric>>(with_races);
}
TEST(DISABLED_deep, a_joiner_helps_its_thief_in_c_plus_plus_under_locks) {
    expect_end<leapfrogging<steal_protocol::locked>>(c_plus_plus(2));
}
TEST(DISABLED_deep, a_finish_block_helps_its_tasks_in_c_plus_plus) {
    expect_end<finishing<steal_protocol::asymmetric>>(c_plus_plus(2));
}
TEST(DISABLED_deep, a_stolen_branch_inherits_its_context_in_c_plus_plus) {
    expect_end<nesting<steal_protocol::locked, 2, false>>(c_plus_plus(2));
    expect_end<nesting_too_deep<steal_protocol::locked>>(c_plus_plus(2));
    expect_end<nesting<steal_protocol::asymmetric, 1, false>>(c_plus_plus(2));
}
TEST(DISABLED_deep, tasks_left_above_a_fork_in_c_plus_plus) {
    expect_end<leaving_loose_tasks<steal_protocol::asymmetric>>(c_plus_plus(2));
}

TEST(DISABLED_deep, a_joiner_helps_its_thief_in_partial_order) {
    options o = deep;
    o.memory = memory_order_of::partial;
    expect_end<leapfrogging<steal_protocol::asymmetric>>(o);
}
TEST(DISABLED_deep, a_finish_block_helps_its_tasks_in_partial_order) {
    options o = deep;
    o.memory = memory_order_of::partial;
    expect_end<finishing<steal_protocol::asymmetric>>(o);
}

// Three workers: 41 million states, minutes and five gigabytes, too much for each `make test`.
TEST(DISABLED_deep, a_task_reaches_one_of_two_sleepers_under_locks_without_store_buffers) {
    using world = demanding<steal_protocol::locked, 0, false, 3>;
    options o = deep;
    o.memory = memory_order_of::sequential;
    const result r = explore<world, &world::owner, &world::thief, &world::second_thief>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_TRUE(r.goals.contains("stolen"));
}
TEST(DISABLED_deep, a_task_from_outside_reaches_one_of_two_sleepers) {
    using world = injecting<steal_protocol::asymmetric, 2>;
    const result r = explore<world, &world::producer, &world::worker, &world::second_worker>(deep);
    EXPECT_TRUE(r.ok) << r.report;
}

} // namespace

} // namespace skerry::model
