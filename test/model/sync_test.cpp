// SPDX-License-Identifier: Apache-2.0

// Gate, owner's gate, handover ring, mutex, condition, shared fence, event count, join word and latch, each in every
// interleaving, under TSO, under the weaker order, and under the memory of C++.

#include <gtest/gtest.h>

#include "expect.hpp"
#include "owner_worlds.hpp"
#include "sync_worlds.hpp"

namespace skerry::model {

namespace {

template <class World, auto... Threads>
void expect_right(const std::set<std::string>& goals) {
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial}) {
        expect_well<World, Threads...>(goals, {.memory = memory});
    }
}

TEST(gate, one_at_a_time_and_no_lost_wakeup) {
    expect_right<gate_world, &gate_world::owner, &gate_world::thief, &gate_world::thief>({"a thief entered"});
}
TEST(owner_gate, one_at_a_time_and_no_lost_wakeup) {
    using world = owner_gate_world<false>;
    expect_right<world, &world::owner, &world::other_twice>({"the owner waited", "another waited"});
    expect_right<world, &world::owner, &world::other, &world::other>({"the owner waited", "another waited"});
}
TEST(owner_gate, one_at_a_time_and_no_lost_wakeup_without_heavy_fences) {
    using world = owner_gate_world<true>;
    expect_right<world, &world::owner, &world::other_twice>({"the owner waited", "another waited"});
    expect_right<world, &world::owner, &world::other, &world::other>({"the owner waited", "another waited"});
}
TEST(handover_ring, each_letter_once_and_in_order) {
    using world = handover_ring_world<true>;
    expect_right<world, &world::sender, &world::receiver>({"full", "empty", "one", "two at once", "taken"});
}
TEST(handover_ring, what_was_not_handed_over_is_left) {
    using world = handover_ring_world<false>;
    expect_right<world, &world::sender, &world::receiver>({"full", "empty", "one", "two at once", "taken"});
}
// That a wait for a gate may end by itself is the owner's gate's to forgive.
TEST(handover_ring, who_stops_both_takes_what_was_not_handed_over) {
    using world = stopped_ring_world;
    for (const memory_order_of memory : {memory_order_of::tso, memory_order_of::partial, memory_order_of::rc11}) {
        expect_well<world, &world::sender, &world::receiver, &world::other>(
            {"received", "nothing received", "the other took 0", "the other took 1", "the other took 2"},
            {.memory = memory, .spurious_wakes = false});
    }
}
TEST(mutex, one_at_a_time_and_no_lost_wakeup) {
    using world = mutex_world;
    expect_right<world, &world::visitor, &world::visitor, &world::visitor>({});
    expect_right<world, &world::visitor, &world::visitor, &world::trier>({"got it at once"});
}
TEST(condition, no_lost_wakeup) {
    using world = condition_world;
    expect_right<world, &world::waiter, &world::notifier>({"waited"});
    expect_right<world, &world::waiter, &world::waiter, &world::notifier>({"waited"});
}
TEST(shared_fence, is_as_good_as_ones_own) {
    using two = fence_world<2>;
    using three = fence_world<3>;
    expect_right<three, &three::owner, &three::asker<0>, &three::asker<1>, &three::asker<2>>(
        {"made one", "another's was as good", "did without"});
    expect_right<two, &two::owner, &two::asker<0>, &two::asker<1>, &two::stranger>(
        {"made one", "another's was as good", "did without", "a stranger's"});
}
TEST(event_count, no_lost_wakeup) {
    expect_right<event_world, &event_world::sleeper, &event_world::waker, &event_world::waker>({"slept", "woke"});
    expect_right<event_world, &event_world::sleeper, &event_world::lone_waker>({"slept"});
}
TEST(event_count, a_call_is_heard) {
    using world = calling_world;
    expect_right<world, &world::sleeper, &world::caller, &world::waker>(
        {"called in its sleep", "called before", "woke"});
}
TEST(join_word, no_lost_wakeup) {
    expect_right<join_world, &join_world::joiner, &join_world::thief>({"slept", "told"});
}
TEST(join_word, a_wish_taken_back) {
    using world = join_and_other_world;
    expect_right<world, &world::joiner, &world::thief, &world::other>({"slept", "told"});
}
TEST(join_word, a_joiner_goes_with_its_bell) {
    using world = leaving_world<false>;
    expect_right<world, &world::joiner, &world::finisher, &world::other>({"slept", "told", "called"});
    using timed = leaving_world<true>;
    expect_right<timed, &timed::joiner, &timed::finisher, &timed::other>({"slept", "told", "called"});
}
TEST(latch, no_lost_wakeup) {
    expect_right<latch_world, &latch_world::waiter, &latch_world::task_one, &latch_world::task_two>({"slept", "told"});
}
TEST(latch, no_lost_wakeup_of_who_leaves_late) {
    using world = late_latch_world;
    expect_right<world, &world::late_waiter, &world::task_one, &world::task_two>(
        {"slept", "told", "left", "never left"});
}
TEST(latch, alone_when_the_others_have_ended) {
    expect_right<lonely_world, &lonely_world::waiter, &lonely_world::task>({"not alone"});
}

TEST(rc11, gate) {
    expect_well_in_c_plus_plus<gate_world, &gate_world::owner, &gate_world::thief>({"a thief entered"});
}
TEST(rc11, owner_gate) {
    using twice = owner_gate_world<false>;
    expect_well_in_c_plus_plus<twice, &twice::owner, &twice::other_twice>({"the owner waited", "another waited"});
    using once = owner_gate_world<false, 1>;
    expect_well_in_c_plus_plus<once, &once::owner, &once::other, &once::other>({"the owner waited", "another waited"});
}
TEST(rc11, owner_gate_without_heavy_fences) {
    using twice = owner_gate_world<true>;
    expect_well_in_c_plus_plus<twice, &twice::owner, &twice::other_twice>({"the owner waited", "another waited"});
    using once = owner_gate_world<true, 1>;
    expect_well_in_c_plus_plus<once, &once::owner, &once::other, &once::other>({"the owner waited", "another waited"});
}
TEST(rc11, handover_ring) {
    using world = handover_ring_world<true>;
    expect_well<world, &world::sender, &world::receiver>({"full", "empty", "one", "two at once", "taken"},
                                                         {.memory = memory_order_of::rc11});
}
TEST(rc11, mutex) {
    using world = mutex_world;
    expect_well_in_c_plus_plus<world, &world::visitor, &world::visitor, &world::visitor>({});
    expect_well_in_c_plus_plus<world, &world::visitor, &world::visitor, &world::trier>({"got it at once"});
}
TEST(rc11, condition) {
    expect_well_in_c_plus_plus<condition_world, &condition_world::waiter, &condition_world::notifier>({"waited"});
}
TEST(rc11, shared_fence) {
    using two = fence_world<2>;
    expect_well_in_c_plus_plus<two, &two::owner, &two::asker<0>, &two::asker<1>>(
        {"made one", "another's was as good", "did without"});
}
TEST(rc11, event_count) {
    expect_well_in_c_plus_plus<event_world, &event_world::sleeper, &event_world::waker, &event_world::waker>(
        {"slept", "woke"});
    expect_well_in_c_plus_plus<event_world, &event_world::sleeper, &event_world::lone_waker>({"slept"});
}
TEST(rc11, a_call) {
    using world = calling_world;
    expect_well_in_c_plus_plus<world, &world::sleeper, &world::caller, &world::waker>(
        {"called in its sleep", "called before", "woke"});
}
TEST(rc11, join_word) {
    expect_well_in_c_plus_plus<join_world, &join_world::joiner, &join_world::thief>({"slept", "told"});
}
TEST(rc11, a_joiner_goes_with_its_bell) {
    using world = leaving_world<false>;
    expect_well_in_c_plus_plus<world, &world::joiner, &world::finisher, &world::other>({"slept", "told", "called"});
}
TEST(rc11, latch) {
    expect_well_in_c_plus_plus<latch_world, &latch_world::waiter, &latch_world::task_one, &latch_world::task_two>(
        {"slept", "told"});
    using late = late_latch_world;
    expect_well_in_c_plus_plus<late, &late::late_waiter, &late::task_one, &late::task_two>(
        {"slept", "told", "left", "never left"});
    expect_well_in_c_plus_plus<lonely_world, &lonely_world::waiter, &lonely_world::task>({"not alone"});
}

} // namespace

} // namespace skerry::model
