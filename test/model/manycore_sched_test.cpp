// SPDX-License-Identifier: Apache-2.0

// The team of src/sched where caches are kept by software.

#include <gtest/gtest.h>

#include "manycore_programs.hpp"

namespace skerry::model {

namespace {

template <class World>
void expect_end(const options& given) {
    options o = given;
    o.on_resume = &sched_world::put_page;
    o.globals = outbox();
    const result r = explore<World, &World::owner, &World::thief>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_TRUE(r.goals.contains("stolen"));
}

constexpr options caches = {.memory = memory_order_of::caches};
constexpr options interrupts = {.memory = memory_order_of::caches, .interrupts = true};

TEST(locked_team, passes_what_was_written) {
    expect_end<passing<steal_protocol::locked>>(caches);
    expect_end<finished<steal_protocol::locked>>(caches);
}
TEST(locked_team, a_task_reaches_a_sleeper) { expect_end<demanding<steal_protocol::locked>>(caches); }
TEST(locked_team, a_joiner_helps_its_thief) { expect_end<leapfrogging<steal_protocol::locked>>(caches); }

TEST(locked_team, a_stolen_branch_inherits_its_context) {
    expect_end<nesting<steal_protocol::locked>>(caches);
    expect_end<nesting_too_deep<steal_protocol::locked>>(caches);
}

TEST(interrupted_team, passes_what_was_written) {
    expect_end<passing<steal_protocol::interrupt>>(interrupts);
    expect_end<finished<steal_protocol::interrupt>>(interrupts);
}
TEST(interrupted_team, a_task_reaches_a_sleeper) { expect_end<demanding<steal_protocol::interrupt>>(interrupts); }
TEST(interrupted_team, a_joiner_helps_its_thief) { expect_end<leapfrogging<steal_protocol::interrupt>>(interrupts); }
TEST(interrupted_team, a_stolen_branch_inherits_its_context) {
    expect_end<nesting<steal_protocol::interrupt>>(interrupts);
    expect_end<nesting_too_deep<steal_protocol::interrupt>>(interrupts);
}
TEST(interrupted_team, a_finish_block_helps_its_tasks) { expect_end<finishing<steal_protocol::interrupt>>(interrupts); }

// A larger one, for `tools/model --deep`.
TEST(DISABLED_deep, a_finish_block_helps_its_tasks_under_locks_with_caches) {
    expect_end<finishing<steal_protocol::locked>>(caches);
}

} // namespace

} // namespace skerry::model
