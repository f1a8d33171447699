// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "coherence/region_tree.hpp"
#include "deps/containment.hpp"
#include "deps_world.hpp"
#include "expect.hpp"

// What src/deps takes from beside it, in the model: no object of these worlds lies in a region, and what the children
// access is theirs.
namespace skerry::inline SKERRY_ABI::detail {
region_id region_of(const void*) noexcept { return region_id::none; }
bool lies_within(region_id, region_id) noexcept { return false; }
region_id region_above(region_id) noexcept { return region_id::none; }
bool region_exists(region_id) noexcept { return false; }
void check_containment(const task_context&, const dependent_task&) {}
} // namespace skerry::inline SKERRY_ABI::detail

namespace skerry::model {

namespace {

// `newest`: of the stores of a place, under the memory of C++; 0: as expect_well_in_c_plus_plus() has it.
template <class World, auto... Threads>
void expect_order(const std::set<std::string>& goals = {}, std::uint8_t newest = 0) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<World, Threads...>(goals, {.memory = memory});
    }
    if (newest != 0) {
        expect_well<World, Threads...>(goals, {.memory = memory_order_of::rc11, .newest = newest});
    } else {
        expect_well_in_c_plus_plus<World, Threads...>(goals);
    }
}

TEST(deps, readers_before_a_writer) {
    using w = readers_before_a_writer;
    expect_order<w, &w::spawner, &w::first, &w::second>({"ready at once", "waits"});
}
TEST(deps, readers_behind_a_writer) {
    using w = readers_behind_a_writer<>;
    expect_order<w, &w::spawner, &w::first>({"ready at once", "waits"});
}
TEST(deps, readers_of_two_branches) {
    using w = readers_of_two_branches;
    expect_order<w, &w::spawner, &w::other_spawner, &w::first>({"ready at once", "waits"});
}
TEST(deps, a_finish_in_one_of_two_branches) {
    using w = finish_in_a_branch;
    expect_order<w, &w::spawner, &w::finisher>({"ready at once", "another between", "the next"});
}
TEST(deps, a_task_of_two_objects) {
    using w = task_of_two_objects;
    expect_order<w, &w::spawner, &w::first, &w::second>({"ready at once", "waits"});
}
TEST(deps, names_are_used_again) {
    using w = names_used_again;
    const std::set<std::string> goals{"ready at once", "waits"};
    expect_well<w, &w::spawner, &w::first, &w::second>(goals, {});
    expect_well<w, &w::spawner, &w::first, &w::second>(goals, {.memory = memory_order_of::rc11});
}
TEST(deps, a_failure_is_met_as_in_the_serial_program) {
    using w = failing_writer;
    expect_order<w, &w::spawner, &w::first>({"ready at once", "waits"});
}
TEST(deps, a_wait_for_children) {
    using w = waiting_for_children;
    expect_order<w, &w::parent, &w::first, &w::second>({"ready at once", "slept"});
}
TEST(deps, two_waits_for_children) {
    using w = two_who_wait;
    expect_order<w, &w::first_waiter, &w::second_waiter, &w::runner>({"slept"}, 2);
}
TEST(deps, a_wait_for_an_object) {
    using w = waiting_for_an_object;
    expect_order<w, &w::first, &w::branch, &w::other_branch>({"slept"});
}
TEST(deps, a_finish_around_children) {
    using w = covered_children;
    expect_order<w, &w::parent, &w::runner>({"slept"});
}

TEST(DISABLED_deep, two_waits_for_children_in_c_plus_plus) {
    using w = two_who_wait;
    expect_order<w, &w::first_waiter, &w::second_waiter, &w::runner>({"slept"});
}

template <std::size_t Children, bool Failing>
void expect_every_program(const options& o) {
    using w = every_program<Children, Failing>;
    expect_well<w, &w::spawner, &w::even, &w::odd>({"waits"}, o);
}
TEST(deps, every_program_of_two_children) {
    expect_every_program<2, false>({});
    expect_every_program<2, false>({.memory = memory_order_of::rc11});
}
TEST(deps, every_program_of_two_children_that_may_fail) {
    expect_every_program<2, true>({});
    expect_every_program<2, true>({.memory = memory_order_of::rc11});
}

const std::set<std::string> either = {"completed by its body", "completed by the last inside", "slept"};
TEST(deps, a_task_is_complete_when_its_children_are) {
    using w = body_spawns;
    expect_order<w, &w::body, &w::runner, &w::waiter>(either);
}
TEST(deps, a_body_waits_for_its_children) {
    using w = body_waits;
    expect_order<w, &w::body, &w::runner>({"completed by its body", "completed by the last inside", "slept"});
}
TEST(deps, a_branch_spawns_when_the_body_may_have_ended) {
    using w = branch_spawns<false>;
    expect_order<w, &w::body, &w::branch, &w::waiter>(either);
}
TEST(deps, body_and_branch_make_the_scope) {
    using w = branch_spawns<true>;
    expect_order<w, &w::body, &w::branch>({"completed by its body", "completed by the last inside"});
}

// Larger ones, for `tools/model --deep`.
constexpr options deep = {.max_states = 60'000'000};

TEST(DISABLED_deep, every_program_of_three_children) { expect_every_program<3, false>(deep); }

} // namespace

} // namespace skerry::model
