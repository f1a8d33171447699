// SPDX-License-Identifier: Apache-2.0
#include "graph/csr.hpp"
#include "graph/rmat.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace apps::graph {
namespace {

using testing_support::edges_of;
using testing_support::make_edges;
using testing_support::random_edges;
using testing_support::weighted_edge;

TEST(csr, sorts_rows_and_drops_loops_and_repetitions) {
    const csr g = build(make_edges(4, {{2, 3}, {0, 2}, {0, 1}, {0, 2}, {1, 1}, {3, 0}}), direction::directed);
    EXPECT_EQ(g.vertices(), 4U);
    EXPECT_FALSE(g.symmetric());
    EXPECT_FALSE(g.weighted());
    EXPECT_EQ(edges_of(g.out(), 4), (std::vector<weighted_edge>{{0, 1}, {0, 2}, {2, 3}, {3, 0}}));
    EXPECT_EQ(edges_of(g.in(), 4), (std::vector<weighted_edge>{{0, 3}, {1, 0}, {2, 0}, {3, 2}}));
}

TEST(csr, keeps_the_lightest_of_repeated_edges) {
    const csr g = build(make_edges(3, {{0, 1, 5}, {0, 1, -7}, {0, 1, 3}, {1, 2, INT32_MAX}, {1, 2, INT32_MIN}}, true),
                        direction::directed);
    EXPECT_EQ(edges_of(g.out(), 3), (std::vector<weighted_edge>{{0, 1, -7}, {1, 2, INT32_MIN}}));
    EXPECT_EQ(edges_of(g.in(), 3), (std::vector<weighted_edge>{{1, 0, -7}, {2, 1, INT32_MIN}}));
}

TEST(csr, undirected_has_each_edge_both_ways) {
    const csr g = build(make_edges(3, {{0, 1, 4}, {2, 1, 6}, {1, 0, 2}}, true), direction::undirected);
    EXPECT_TRUE(g.symmetric());
    EXPECT_EQ(&g.in(), &g.out());
    EXPECT_EQ(edges_of(g.out(), 3), (std::vector<weighted_edge>{{0, 1, 2}, {1, 0, 2}, {1, 2, 6}, {2, 1, 6}}));
}

TEST(csr, notices_that_a_directed_graph_is_symmetric) {
    EXPECT_TRUE(build(make_edges(3, {{0, 1}, {1, 0}, {1, 2}, {2, 1}}), direction::directed).symmetric());
    EXPECT_FALSE(build(make_edges(3, {{0, 1}, {1, 0}, {1, 2}}), direction::directed).symmetric());
    EXPECT_FALSE(build(make_edges(2, {{0, 1, 1}, {1, 0, 2}}, true), direction::directed).symmetric());
}

TEST(csr, a_graph_may_have_no_edges) {
    const csr g = build(make_edges(3, {}), direction::directed);
    EXPECT_EQ(g.vertices(), 3U);
    EXPECT_EQ(g.arcs(), 0U);
    EXPECT_EQ(g.hub(), 0U);
    EXPECT_TRUE(g.out()(2).empty());
}

TEST(csr, the_hub_is_the_first_of_the_largest_rows) {
    EXPECT_EQ(build(make_edges(4, {{3, 0}, {3, 1}, {1, 0}, {1, 2}, {0, 1}}), direction::directed).hub(), 1U);
}

TEST(csr, vertices_may_have_names) {
    edge_list e = make_edges(3, {{0, 1}, {2, 1}});
    const csr plain = build(e, direction::directed);
    EXPECT_FALSE(plain.renumbered());
    EXPECT_EQ(plain.name(2), 2U);
    EXPECT_EQ(plain.named(2), 2U);
    EXPECT_EQ(plain.named(3), no_vertex);
    EXPECT_EQ(plain.named(UINT64_MAX), no_vertex);
    e.names = buffer<std::uint64_t>(3);
    std::ranges::copy(std::array<std::uint64_t, 3>{5, 7, UINT64_MAX}, e.names.begin());
    for (const direction d : {direction::directed, direction::undirected}) {
        const csr g = build(e, d);
        EXPECT_TRUE(g.renumbered());
        EXPECT_EQ(g.name(1), 7U);
        EXPECT_EQ(g.named(5), 0U);
        EXPECT_EQ(g.named(UINT64_MAX), 2U);
        EXPECT_EQ(g.named(6), no_vertex);
        EXPECT_EQ(g.named(0), no_vertex);
    }
}

TEST(csr, equals_a_set_of_edges) {
    for (std::uint64_t seed = 0; seed != 20; ++seed) {
        const vertex n = static_cast<vertex>(1 + seed * 7);
        const auto edges = random_edges(n, 20 * seed, seed);
        std::set<std::pair<vertex, vertex>> expected;
        for (const weighted_edge& e : edges) {
            if (e.from != e.to) expected.emplace(e.from, e.to);
        }
        const csr g = build(make_edges(n, edges), direction::directed);
        std::set<std::pair<vertex, vertex>> forward;
        std::set<std::pair<vertex, vertex>> backward;
        for (const weighted_edge& e : edges_of(g.out(), n)) forward.emplace(e.from, e.to);
        for (const weighted_edge& e : edges_of(g.in(), n)) backward.emplace(e.to, e.from);
        EXPECT_EQ(forward, expected);
        EXPECT_EQ(backward, expected);
        EXPECT_EQ(g.arcs(), expected.size());
    }
}

TEST(rmat, has_ten_edges_for_each_vertex_asked_for_and_a_power_of_two_of_vertices) {
    const edge_list e = rmat(1000, 1);
    EXPECT_EQ(e.vertices, 1024U);
    EXPECT_EQ(e.size(), 10'000U);
    EXPECT_TRUE(std::ranges::all_of(e.from, [](vertex v) { return v < 1024; }));
    EXPECT_TRUE(std::ranges::all_of(e.to, [](vertex v) { return v < 1024; }));
    EXPECT_EQ(rmat(1, 1).vertices, 1U);
    EXPECT_EQ(rmat(2048, 1).vertices, 2048U);
}

TEST(rmat, is_a_function_of_its_seed) {
    const edge_list a = rmat(500, 7);
    const edge_list b = rmat(500, 7);
    const edge_list c = rmat(500, 8);
    EXPECT_TRUE(std::ranges::equal(a.from, b.from) && std::ranges::equal(a.to, b.to));
    EXPECT_FALSE(std::ranges::equal(a.from, c.from));
}

/// At every level the four quadrants hold .5, .1, .1 and .3 of the edges; 100,000 draws are within 1 % of all.
TEST(rmat, draws_each_quadrant_with_its_probability) {
    const edge_list e = rmat(10'000, 3);
    for (const unsigned bit : {0U, 1U, 6U, 13U}) {
        std::array<std::size_t, 4> counts{};
        for (std::size_t i = 0; i != e.size(); ++i) ++counts[((e.from[i] >> bit) & 1U) * 2 + ((e.to[i] >> bit) & 1U)];
        const double all = static_cast<double>(e.size());
        EXPECT_NEAR(static_cast<double>(counts[0]) / all, 0.5, 0.01);
        EXPECT_NEAR(static_cast<double>(counts[1]) / all, 0.1, 0.01);
        EXPECT_NEAR(static_cast<double>(counts[2]) / all, 0.1, 0.01);
        EXPECT_NEAR(static_cast<double>(counts[3]) / all, 0.3, 0.01);
    }
}

TEST(rmat, weights_go_from_one_to_log2_of_the_vertices) {
    edge_list e = rmat(1000, 1);
    add_random_weights(e, 1);
    ASSERT_EQ(e.weights.size(), e.size());
    EXPECT_EQ(*std::ranges::min_element(e.weights), 1);
    EXPECT_EQ(*std::ranges::max_element(e.weights), 10);
    edge_list lone = rmat(1, 1);
    add_random_weights(lone, 1);
    EXPECT_EQ(*std::ranges::max_element(lone.weights), 1);
}

} // namespace
} // namespace apps::graph
