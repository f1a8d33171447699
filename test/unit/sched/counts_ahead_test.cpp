// SPDX-License-Identifier: Apache-2.0

// The counts that a worker holds of a latch, by themselves.

#include <cstddef>

#include <gtest/gtest.h>

#include <skerry/detail/sched/counts_ahead.hpp>

namespace {

using skerry::detail::counts_ahead;
using skerry::detail::machine;

using latch = skerry::detail::latch<machine>;

TEST(CountsAhead, AreTakenByTasksAndAddedToByTheBatch) {
    latch l(counts_ahead::batch);
    counts_ahead ahead{&l, counts_ahead::batch};
    EXPECT_TRUE(l.alone(ahead.held_of(l)));
    constexpr std::size_t tasks = 3 * counts_ahead::batch + 1;
    for (std::size_t i = 0; i < tasks; ++i) {
        ahead.begin(l);
        EXPECT_FALSE(l.alone(ahead.held_of(l)));
    }
    EXPECT_EQ(ahead.held, counts_ahead::batch - 1);
    for (std::size_t i = 0; i < tasks; ++i) {
        EXPECT_FALSE(l.alone(ahead.held_of(l)));
        EXPECT_TRUE(ahead.end(l));
    }
    EXPECT_TRUE(l.alone(ahead.held_of(l)));
    EXPECT_EQ(l.arrive(1 + ahead.held), nullptr); // nobody sleeps there
    EXPECT_TRUE(l.done());
}

TEST(CountsAhead, OfAnotherLatchThereAreNone) {
    latch held;
    latch other;
    counts_ahead ahead{&held, 0};
    ahead.begin(other);
    EXPECT_FALSE(other.alone());
    EXPECT_TRUE(held.alone());
    EXPECT_EQ(ahead.held_of(other), 0U);
    EXPECT_FALSE(ahead.end(other)); // the caller's
    EXPECT_EQ(other.arrive(), nullptr);
    EXPECT_TRUE(other.alone());
}

} // namespace
