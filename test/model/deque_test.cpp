// SPDX-License-Identifier: Apache-2.0

// The deque of src/sync with capacities shrunk: push, pop, polite and asymmetric steal, growth, loose tasks, the locked
// protocol. Each world runs with its thieves in every order; `goals` makes sure that what it is about did happen.

#include <string>

#include <gtest/gtest.h>

#include "deque_world.hpp"

namespace skerry::model {

namespace {

using detail::steal_protocol;

// Forks Depth deep, Rounds times over; each thief tries once.
template <std::size_t Depth, std::size_t Rounds, bool Impatient, steal_protocol Protocol, std::size_t Capacity>
struct policy : machine {
    static constexpr std::size_t initial_capacity = Capacity;
};

template <std::size_t Depth, bool Impatient, steal_protocol Protocol = steal_protocol::asymmetric,
          std::size_t Capacity = 4>
struct forks : deque_world<policy<Depth, 1, Impatient, Protocol, Capacity>> {
    using base = deque_world<policy<Depth, 1, Impatient, Protocol, Capacity>>;
    forks() : base(Protocol) {}
    void owner() { this->fork(0, Depth); }
    void first_thief() { this->ask_then_steal(1, Impatient); }
    void second_thief() { this->ask_then_steal(2, Impatient); }
    void greedy_thief() { this->steal(1, true, "seized"); }
    void finally() { this->require_taken(Depth); }
};

template <class World>
result with_one_thief(const options& o = {}) {
    return explore<World, &World::owner, &World::first_thief>(o);
}
template <class World>
result with_two_thieves(const options& o = {}) {
    return explore<World, &World::owner, &World::first_thief, &World::second_thief>(o);
}

void expect_goals(const result& r, const std::set<std::string>& wanted) {
    EXPECT_TRUE(r.ok) << r.report;
    for (const std::string& goal : wanted) {
        EXPECT_TRUE(r.goals.contains(goal)) << "never reached: " << goal;
    }
}

TEST(deque, polite_steal) {
    expect_goals(with_one_thief<forks<2, false>>(), {"attend", "granted", "mine after all", "stolen"});
}
TEST(deque, asymmetric_steal) {
    expect_goals(with_one_thief<forks<2, true>>(), {"attend", "granted", "seized", "mine after all", "stolen"});
}
TEST(deque, asymmetric_steal_of_the_only_task) { expect_goals(with_one_thief<forks<1, true>>(), {"seized", "stolen"}); }
TEST(deque, growth_under_a_thief) {
    expect_goals(with_one_thief<forks<3, true, steal_protocol::asymmetric, 2>>(), {"attend", "seized", "stolen"});
}
TEST(deque, two_thieves) { expect_goals(with_two_thieves<forks<2, true>>(), {"granted", "seized", "stolen"}); }
TEST(deque, locked_protocol) {
    expect_goals(with_two_thieves<forks<2, true, steal_protocol::locked>>(),
                 {"attend", "granted", "mine after all", "stolen"});
}

} // namespace

} // namespace skerry::model
