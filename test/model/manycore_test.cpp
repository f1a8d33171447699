// SPDX-License-Identifier: Apache-2.0

// The deque of src/sync under the two protocols for caches that software keeps.

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "../conformance/steal/printed.hpp"
#include "deque_world.hpp"
#include "interrupt_world.hpp"

namespace skerry::model {

namespace {

constexpr options caches = {.memory = memory_order_of::caches, .max_states = 60'000'000};
constexpr options interrupts = {.memory = memory_order_of::caches, .max_states = 60'000'000, .interrupts = true};
constexpr options coherent = {.memory = memory_order_of::sequential, .interrupts = true};

void expect_goals(const result& r, const std::set<std::string>& wanted) {
    EXPECT_TRUE(r.ok) << r.report;
    for (const std::string& goal : wanted) {
        EXPECT_TRUE(r.goals.contains(goal)) << "never reached: " << goal;
    }
}
template <class World>
result with_one_thief(const options& o) {
    return explore<World, &World::owner, &World::first_thief>(o);
}
template <class World>
result with_two_thieves(const options& o) {
    return explore<World, &World::owner, &World::first_thief, &World::second_thief>(o);
}

template <std::size_t Depth, std::size_t Capacity = 4>
using locked_forks = forks<Depth, true, steal_protocol::locked, Capacity, manycore>;
template <int Steps, std::size_t Capacity>
using any_locked = any_program<steal_protocol::locked, Steps, Capacity, 2, deque_world<shrunk<Capacity, manycore>>>;

TEST(locked_deque, forks_and_a_thief) {
    expect_goals(with_one_thief<locked_forks<2>>(caches), {"granted", "mine after all", "stolen"});
}
TEST(locked_deque, growth_under_a_thief) { expect_goals(with_one_thief<locked_forks<3, 2>>(caches), {"stolen"}); }
TEST(locked_deque, two_thieves) { expect_goals(with_two_thieves<locked_forks<1>>(caches), {"granted", "stolen"}); }
TEST(locked_deque, wait_for_loose_tasks) {
    expect_goals(with_one_thief<loose_wait<steal_protocol::locked, 4, manycore>>(caches),
                 {"own loose task", "stolen", "seized"});
    expect_goals(with_one_thief<loose_wait<steal_protocol::locked, 2, manycore>>(caches),
                 {"own loose task", "stolen", "seized"});
}
TEST(locked_deque, every_program_of_three_steps) {
    expect_goals(with_one_thief<any_locked<3, 2>>(caches), {"withdrawn", "stolen loose", "stolen"});
}

const std::set<std::string> taken_by_the_handler = {"granted", "refused", "nothing there", "stolen"};

TEST(interrupted_deque, forks_and_a_thief) {
    expect_goals(with_one_thief<interrupted_forks<2, 4, true>>(interrupts), taken_by_the_handler);
}
TEST(interrupted_deque, growth_under_a_thief) {
    expect_goals(with_one_thief<interrupted_forks<3, 2, true>>(interrupts), taken_by_the_handler);
}
TEST(interrupted_deque, two_thieves) {
    expect_goals(with_two_thieves<interrupted_forks<3>>(interrupts), taken_by_the_handler);
}
TEST(interrupted_deque, three_thieves_on_coherent_cores) {
    using world = interrupted_forks<3>;
    expect_goals(
        explore<world, &world::owner, &world::first_thief, &world::second_thief, &world::third_thief>(coherent),
        taken_by_the_handler);
}
TEST(interrupted_deque, every_program_of_four_steps) {
    expect_goals(with_one_thief<any_interrupted<4, 2>>(interrupts), {"withdrawn", "hole", "granted", "stolen"});
}

// The parent's count of Fig. 3(c): two children, of which the second may be taken by an interrupt.
template <skerry_test::lines_17_to_20 Form>
struct family {
    family() { current = this; }
    static inline family* current = nullptr;

    skerry_test::child_count<manycore, Form> count;
    bool second_is_here = true;
    bool mailbox = false;

    static void handle(unsigned) {
        family& f = *current;
        f.mailbox = f.second_is_here;
        if (f.second_is_here) {
            f.second_is_here = false;
            f.count.mark_stolen();
        }
        manycore::publish_all(detail::coherence_step::reply_sent);
    }
    void thief() {
        if (manycore::interrupt(0)) {
            manycore::discard_all(detail::coherence_step::reply_taken);
            if (mailbox) {
                reached("stolen");
                manycore::publish_all(detail::coherence_step::task_ended);
                count.child_ended_elsewhere();
            }
        }
    }
    void parent() {
        count.expect(2);
        manycore::on_interrupt(&handle);
        count.child_ended_here();
        while (count.open()) {
            manycore::mask_interrupts();
            const bool mine = std::exchange(second_is_here, false);
            manycore::unmask_interrupts();
            if (mine) {
                reached("not stolen");
                count.child_ended_here();
            }
        }
        count.joined();
    }
};
template <skerry_test::lines_17_to_20 Form>
result count_children() {
    using world = family<Form>;
    return explore<world, &world::parent, &world::thief>(interrupts);
}

TEST(counted_children, arrive_when_masked) {
    expect_goals(count_children<skerry_test::lines_17_to_20::masked>(), {"stolen", "not stolen"});
}
TEST(counted_children, are_lost_as_printed) {
    EXPECT_EQ(count_children<skerry_test::lines_17_to_20::as_printed>().kind, "no end");
}

// Larger ones, for `tools/model --deep`.
TEST(DISABLED_deep, two_forks_and_two_thieves_under_locks_with_caches) {
    expect_goals(with_two_thieves<locked_forks<2>>(caches), {"granted", "stolen"});
}

} // namespace

} // namespace skerry::model
