// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/panic.hpp"
#include "base/port/clock.hpp"
#include "base/port/cpu.hpp"
#include "base/port/process.hpp"
#include "base/port/thread.hpp"
#include "sched_programs.hpp"

// What src/sched takes from the floors below, in the model.
namespace skerry::inline SKERRY_ABI {

namespace port {
std::uint64_t ticks() noexcept { return model::sched_world::ticks(); }
double ticks_per_second() noexcept { return 1e9; }
std::uint64_t now_ns() noexcept { return 0; }
unsigned process_generation() noexcept { return 0; }
void yield() noexcept {}
std::vector<unsigned> topology::victims_in_distance_order(unsigned, unsigned) const { return {}; }
} // namespace port

namespace detail {
constinit thread_local worker_page* current_page [[gnu::tls_model("initial-exec")]] = nullptr;
void panic_with(std::string_view text, const std::source_location&) noexcept {
    model::engine::instance().fail("panic", std::string(text));
}
void fatal_with(std::string_view text) noexcept { model::engine::instance().fail("fatal", std::string(text)); }
} // namespace detail

} // namespace skerry::inline SKERRY_ABI

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
TEST(sched, a_finish_block_helps_its_tasks_under_locks) { expect_end<finishing<steal_protocol::locked>>(); }

// A sleeper that cannot have its heavy fence wakes by itself.
TEST(sched, no_heavy_fence_for_sleepers) {
    expect_end<demanding<steal_protocol::asymmetric>>({.fault = [](request& r, reply& answer) {
        answer.done = false;
        return r.what == action::heavy_fence && r.in("ring_for");
    }});
}

template <auto... Threads>
void expect_run(const std::set<std::string>& goals) {
    const result r = explore<injecting<steal_protocol::asymmetric>, Threads...>();
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.goals, goals);
}

TEST(sched, a_task_from_outside_is_run_once) {
    using world = injecting<steal_protocol::asymmetric>;
    expect_run<&world::producer, &world::worker>({"run by the other"});
    expect_run<&world::producer, &world::worker, &world::withdrawer>({"run by the other", "withdrawn"});
    expect_run<&world::giver, &world::chooser, &world::withdrawer>({"chosen", "run by the other", "withdrawn"});
}

TEST(sched, blocks_given_back_are_neither_lost_nor_doubled) {
    using world = giving_back;
    for (const bool spurious : {false, true}) {
        const result r = explore<world, &world::owner, &world::first, &world::second>({.spurious_wakes = spurious});
        EXPECT_TRUE(r.ok) << r.report;
        EXPECT_EQ(r.goals, (std::set<std::string>{"another made", "taken again"}));
    }
}

// Larger ones, for `tools/model --deep`.
constexpr options deep = {.max_states = 60'000'000};

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
TEST(DISABLED_deep, a_task_from_outside_reaches_one_of_two_sleepers) {
    using world = injecting<steal_protocol::asymmetric, 2>;
    const result r = explore<world, &world::producer, &world::worker, &world::second_worker>(deep);
    EXPECT_TRUE(r.ok) << r.report;
}

} // namespace

} // namespace skerry::model
