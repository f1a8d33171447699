// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests ask of a program that is right: every state passes, every end can be reached, and so is each goal.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "explorer.hpp"

namespace skerry::model {

template <class World, auto... Threads>
void expect_well(const std::set<std::string>& goals, const options& o = {}) {
    const result r = explore<World, Threads...>(o);
    EXPECT_TRUE(r.ok) << r.report;
    EXPECT_EQ(r.goals, goals);
}

/// Under the memory of C++, for programs that wait, or try again, in a loop. Each round for no reason is one more store
/// that others may still read: so once there is none, and once only the newest stores may be read.
template <class World, auto... Threads>
void expect_well_in_c_plus_plus(const std::set<std::string>& goals) {
    expect_well<World, Threads...>(goals, {.memory = memory_order_of::rc11, .spurious_wakes = false});
    expect_well<World, Threads...>(goals, {.memory = memory_order_of::rc11, .newest = 3});
}

} // namespace skerry::model
