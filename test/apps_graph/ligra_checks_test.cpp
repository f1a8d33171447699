// SPDX-License-Identifier: Apache-2.0
// Each check accepts the right result and rejects each kind of wrong one.
#include "ligra/checks.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace apps::ligra {
namespace {

using graph::build;
using graph::direction;
using testing_support::make_edges;
using testing_support::random_edges;

/// A square 0 1 2 3, a tail 3 - 4, and 5 alone.
csr square() { return build(make_edges(6, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}}), direction::undirected); }

TEST(levels, of_a_tree_end_at_a_root) {
    const std::vector<vertex> parents{0, 0, 1, no_vertex, 3, 6, 5, 99};
    EXPECT_EQ(levels_of_tree(parents),
              (std::vector<std::uint32_t>{0, 1, 2, no_level, no_level, no_level, no_level, no_level}));
}

TEST(levels, from_several_roots_are_those_of_the_nearest) {
    const std::array<vertex, 3> roots{0, 4, 0};
    EXPECT_EQ(levels_from(square(), roots), (std::vector<std::uint32_t>{0, 1, 2, 1, 0, no_level}));
}

TEST(check_bfs, knows_right_from_wrong) {
    const csr g = square();
    const std::array<vertex, 1> root{0};
    const std::vector<vertex> right{0, 0, 1, 0, 3, no_vertex};
    EXPECT_TRUE(check_bfs(g, root, right).ok);
    EXPECT_TRUE(check_bfs(g, root, std::vector<vertex>{0, 0, 3, 0, 3, no_vertex}).ok);
    const std::vector<std::pair<std::size_t, vertex>> wrong{
        {0, no_vertex}, // the root is not reached
        {0, 1},         // nor its own parent
        {1, 2},         // a cycle of 1 and 2
        {2, 0},         // no such edge
        {3, 2},         // a detour
        {4, no_vertex}, // a neighbour was reached
        {4, 4},         // a second root
        {5, 4},         // no such edge
        {4, 77},        // no such vertex
    };
    for (const auto& [v, parent] : wrong) {
        std::vector<vertex> parents = right;
        parents[v] = parent;
        EXPECT_FALSE(check_bfs(g, root, parents).ok) << v << " below " << parent;
    }
}

TEST(check_bc, knows_right_from_wrong) {
    // From 0: two paths to 2, of which each of 1 and 3 has half; 4 behind 3.
    std::vector<double> right{4, 0.5, 0, 1.5, 0, 0};
    EXPECT_TRUE(check_bc(square(), 0, right).ok);
    for (std::size_t v = 0; v != right.size(); ++v) {
        std::vector<double> wrong = right;
        wrong[v] += 1e-6;
        EXPECT_FALSE(check_bc(square(), 0, wrong).ok);
        wrong[v] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(check_bc(square(), 0, wrong).ok);
    }
}

/// 1,100 squares in a row have 2^1100 shortest paths.
TEST(check_bc, says_that_the_paths_are_too_many) {
    std::vector<testing_support::weighted_edge> squares;
    for (vertex v = 0; v != 3300; v += 3) {
        for (const vertex side : {v + 1, v + 2}) {
            squares.push_back({v, side});
            squares.push_back({side, v + 3});
        }
    }
    const csr g = build(make_edges(3301, squares), direction::undirected);
    const verdict said = check_bc(g, 0, std::vector<double>(3301));
    EXPECT_FALSE(said.ok);
    EXPECT_TRUE(said.text.ends_with(" has more shortest paths than a double can count")) << said.text;
}

TEST(check_bf, knows_right_from_wrong) {
    const csr g =
        build(make_edges(5, {{0, 1, 4}, {0, 2, 1}, {2, 1, 2}, {1, 3, -2}, {4, 0, 1}}, true), direction::directed);
    const std::vector<std::int64_t> right{0, 3, 1, 1, no_distance};
    EXPECT_TRUE(check_bf(g, 0, right, false).ok);
    EXPECT_FALSE(check_bf(g, 0, right, true).ok);
    for (std::size_t v = 0; v != right.size(); ++v) {
        for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{2}, no_distance}) {
            if (value == right[v]) continue;
            std::vector<std::int64_t> wrong = right;
            wrong[v] = value;
            EXPECT_FALSE(check_bf(g, 0, wrong, false).ok) << v << " at " << value;
        }
    }
}

/// Distances that no edge improves, but that hang in the air: all one less on a cycle of weight 0.
TEST(check_bf, rejects_distances_that_only_support_each_other) {
    const csr g = build(make_edges(3, {{0, 1, 5}, {1, 2, 3}, {2, 1, -3}}, true), direction::directed);
    EXPECT_TRUE(check_bf(g, 0, std::vector<std::int64_t>{0, 5, 8}, false).ok);
    EXPECT_FALSE(check_bf(g, 0, std::vector<std::int64_t>{0, 4, 7}, false).ok);
}

TEST(negative_cycles, show_in_the_distances) {
    const csr bad = build(make_edges(3, {{0, 1, 1}, {1, 2, 1}, {2, 1, -2}}, true), direction::directed);
    EXPECT_TRUE(shows_negative_cycle(bad, 0, std::vector<std::int64_t>{0, -3, -1}));
    EXPECT_TRUE(check_bf(bad, 0, std::vector<std::int64_t>{0, -3, -1}, true).ok);
    const csr good = build(make_edges(3, {{0, 1, 1}, {1, 2, 2}, {2, 1, -2}}, true), direction::directed);
    EXPECT_FALSE(shows_negative_cycle(good, 0, std::vector<std::int64_t>{0, 1, 3}));
    EXPECT_TRUE(shows_negative_cycle(good, 0, std::vector<std::int64_t>{-1, 1, 3})); // the source got below itself
}

TEST(check_cc, knows_right_from_wrong) {
    const csr g = square();
    EXPECT_TRUE(check_cc(g, std::vector<vertex>{0, 0, 0, 0, 0, 5}).ok);
    EXPECT_TRUE(check_cc(g, std::vector<vertex>{3, 3, 3, 3, 3, 1}).ok);
    EXPECT_FALSE(check_cc(g, std::vector<vertex>{0, 0, 0, 0, 4, 5}).ok);
    EXPECT_FALSE(check_cc(g, std::vector<vertex>{0, 0, 0, 0, 0, 0}).ok);
    EXPECT_FALSE(check_cc(g, std::vector<vertex>{0, 0, 0, 0, 0, 6}).ok);
}

TEST(check_mis, knows_right_from_wrong) {
    const csr g = square();
    EXPECT_TRUE(check_mis(g, std::vector<std::uint8_t>{1, 0, 1, 0, 1, 1}).ok);
    EXPECT_FALSE(check_mis(g, std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0}).ok); // 5 could join
    EXPECT_FALSE(check_mis(g, std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1}).ok); // neighbours
    EXPECT_FALSE(check_mis(g, std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0}).ok);
}

TEST(check_radii, knows_right_from_wrong) {
    const csr g = square();
    const std::array<vertex, 2> samples{1, 4};
    const std::vector<std::int32_t> right{2, 3, 2, 2, 3, -1};
    EXPECT_TRUE(check_radii(g, samples, right).ok);
    for (std::size_t v = 0; v != right.size(); ++v) {
        for (const int change : {-1, 1}) {
            std::vector<std::int32_t> wrong = right;
            wrong[v] += change;
            EXPECT_FALSE(check_radii(g, samples, wrong).ok) << v << " by " << change;
        }
    }
}

/// Too large to search from every sample: lower bounds for all vertices, the exact radius of a few.
TEST(check_radii, of_a_large_graph_finds_what_is_too_small) {
    const vertex n = 300'000;
    std::vector<testing_support::weighted_edge> ring;
    for (vertex v = 0; v != n; ++v) ring.push_back({v, (v + 1) % n});
    const csr g = build(make_edges(n, ring), direction::undirected);
    std::vector<vertex> samples(64);
    std::vector<std::int32_t> right(n, 0);
    for (std::size_t i = 0; i != samples.size(); ++i) {
        samples[i] = static_cast<vertex>(i * 1000);
        for (vertex v = 0; v != n; ++v) {
            const auto apart = static_cast<std::int32_t>(v > samples[i] ? v - samples[i] : samples[i] - v);
            right[v] = std::max(right[v], std::min(apart, static_cast<std::int32_t>(n) - apart));
        }
    }
    EXPECT_TRUE(check_radii(g, samples, right).ok);
    std::vector<std::int32_t> wrong = right;
    wrong[12'345] = 0;
    EXPECT_FALSE(check_radii(g, samples, wrong).ok);
    wrong = right;
    wrong[n / 4] += 1; // one of those that are computed exactly
    EXPECT_FALSE(check_radii(g, samples, wrong).ok);
}

TEST(check_tc, counts_like_three_loops) {
    for (std::uint64_t seed = 0; seed != 10; ++seed) {
        const vertex n = 30;
        const csr g = build(make_edges(n, random_edges(n, 120, seed)), direction::undirected);
        const auto joined = [&](vertex u, vertex v) { return std::ranges::binary_search(g.out()(u), v); };
        std::uint64_t count = 0;
        for (vertex u = 0; u != n; ++u) {
            for (vertex v = u + 1; v != n; ++v) {
                for (vertex w = v + 1; w != n; ++w)
                    count += static_cast<std::uint64_t>(joined(u, v) && joined(v, w) && joined(u, w));
            }
        }
        EXPECT_TRUE(check_tc(g, count).ok);
        EXPECT_FALSE(check_tc(g, count + 1).ok);
        EXPECT_FALSE(check_tc(g, count - 1).ok);
    }
}

TEST(checks, call_a_vertex_as_its_file_does) {
    graph::edge_list e = make_edges(3, {{0, 1}, {1, 2}}, true);
    e.names = graph::buffer<std::uint64_t>(3);
    std::ranges::copy(std::array<std::uint64_t, 3>{500, 600'000'000, UINT64_MAX}, e.names.begin());
    const csr g = build(e, direction::undirected);
    const std::array<vertex, 1> root{0};
    EXPECT_EQ(check_bfs(g, root, std::vector<vertex>{no_vertex, 0, 1}).text, "root 500 is not its own parent");
    EXPECT_EQ(check_bfs(g, root, std::vector<vertex>{0, 0, 0}).text,
              "there is no edge 500 to 18446744073709551615, its child");
    EXPECT_EQ(check_bfs(g, root, std::vector<vertex>{0, 0, 77}).text,
              "there is no edge 77 to 18446744073709551615, its child");
    EXPECT_EQ(check_cc(g, std::vector<vertex>{0, 0, 2}).text,
              "neighbours 600000000 and 18446744073709551615 have two labels");
    EXPECT_EQ(check_mis(g, std::vector<std::uint8_t>{1, 0, 0}).text, "vertex 18446744073709551615 could be a member");
    EXPECT_EQ(check_mis(g, std::vector<std::uint8_t>{1, 1, 0}).text, "members 500 and 600000000 are neighbours");
    EXPECT_EQ(check_radii(g, root, std::vector<std::int32_t>{0, 1, 1}).text,
              "vertex 18446744073709551615 has radius 1, searches say 2");
}

} // namespace
} // namespace apps::ligra
