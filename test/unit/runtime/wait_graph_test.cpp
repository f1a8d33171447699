// SPDX-License-Identifier: Apache-2.0
#include "runtime/wait_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using skerry::detail::find_cycle;
using skerry::detail::wait_graph;

TEST(WaitGraph, OfNobodyHasNoCycle) { EXPECT_TRUE(find_cycle({}).empty()); }

TEST(WaitGraph, AWaitForItselfIsACycle) { EXPECT_EQ(find_cycle({{}, {0, 1}}), std::vector<unsigned>{1}); }

TEST(WaitGraph, TwoWaysToOneAreNone) { EXPECT_TRUE(find_cycle({{1, 2}, {3}, {3}, {}}).empty()); }

TEST(WaitGraph, TheWayToACycleIsNotPartOfIt) {
    EXPECT_EQ(find_cycle({{1}, {2}, {3}, {1}}), (std::vector<unsigned>{1, 2, 3}));
}

RC_GTEST_PROP(WaitGraph, HasACycleUnlessItCanBeTakenApart, ()) {
    const auto nodes = *rc::gen::inRange<unsigned>(1, 9);
    const wait_graph graph = *rc::gen::container<wait_graph>(
        nodes, rc::gen::scale(0.1, rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, nodes))));
    // Takes away who waits for nobody that is left, again and again.
    std::vector<bool> left(nodes, true);
    for (unsigned round = 0; round < nodes; ++round) {
        for (unsigned i = 0; i < nodes; ++i) {
            left[i] = left[i] && std::ranges::any_of(graph[i], [&](unsigned to) { return left[to]; });
        }
    }
    const std::vector<unsigned> cycle = find_cycle(graph);
    RC_ASSERT(cycle.empty() == std::ranges::none_of(left, [](bool l) { return l; }));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        const unsigned next = cycle[(i + 1) % cycle.size()];
        RC_ASSERT(std::ranges::count(graph[cycle[i]], next) != 0);
    }
}

} // namespace
