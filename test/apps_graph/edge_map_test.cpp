// SPDX-License-Identifier: Apache-2.0
// Compiled twice, against each elision.
#include "graph/edge_map.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace apps::SKERRY_APP_VARIANT {
namespace {

using testing_support::make_edges;
using testing_support::random_edges;
using testing_support::weighted_edge;

/// Every vertex may be reached once; remembers over which edges and with which weights it was.
struct first_wins {
    vertex* from;
    bool update(vertex u, vertex v) const {
        from[v] = u;
        return true;
    }
    bool update_atomic(vertex u, vertex v) const { return replace_once(from[v], graph::no_vertex, u); }
    bool cond(vertex v) const { return par::may_be_stale(from[v]) == graph::no_vertex; }
};

struct add_weights {
    std::uint64_t* sums;
    bool update(vertex, vertex v, weight w) const { return add(sums[v], static_cast<std::uint64_t>(w)) == 0; }
    bool update_atomic(vertex, vertex v, weight w) const { return add(sums[v], static_cast<std::uint64_t>(w)) == 0; }
    bool cond(vertex) const { return true; }
};

template <class Flags>
std::set<vertex> members(const basic_subset<Flags>& s) {
    vertex_collector found;
    s.each(0, [&](vertex v) { found.local().push_back(v); });
    const std::vector<vertex> all = found.take();
    EXPECT_EQ(all.size(), s.size());
    return {all.begin(), all.end()};
}

std::vector<vertex> some_vertices(vertex n, std::uint64_t seed) {
    std::vector<vertex> some;
    for (vertex v = 0; v != n; ++v) {
        if (random_at(seed, v) % 3 == 0) some.push_back(v);
    }
    return some;
}

template <class Flags>
class subsets : public ::testing::Test {};
using both_flags = ::testing::Types<byte_flags, bit_flags>;
TYPED_TEST_SUITE(subsets, both_flags);

TYPED_TEST(subsets, keep_their_members_when_the_form_changes) {
    for (const vertex n : {1U, 7U, 31U, 32U, 33U, 64U, 65U, 1000U}) {
        for (const std::size_t granularity : {0U, 1U, 32U}) {
            const std::vector<vertex> some = some_vertices(n, n);
            basic_subset<TypeParam> s(n, some);
            s.make_dense(granularity);
            EXPECT_TRUE(s.dense());
            for (vertex v = 0; v != n; ++v) EXPECT_EQ(s.in_flags().test(v), std::ranges::binary_search(some, v));
            EXPECT_EQ(members(s), std::set<vertex>(some.begin(), some.end()));
            s.make_sparse(granularity);
            EXPECT_FALSE(s.dense());
            EXPECT_EQ(members(s), std::set<vertex>(some.begin(), some.end()));
        }
    }
}

TYPED_TEST(subsets, all_has_each_vertex_once) {
    EXPECT_EQ(basic_subset<TypeParam>::all(100, 32).size(), 100U);
    EXPECT_EQ(members(basic_subset<TypeParam>::all(100, 32)).size(), 100U);
    EXPECT_TRUE(basic_subset<TypeParam>::all(0, 32).empty());
}

TYPED_TEST(subsets, filter_keeps_what_is_asked_for) {
    const vertex n = 500;
    basic_subset<TypeParam> s = basic_subset<TypeParam>::all(n, 0);
    for (int form = 0; form != 2; ++form) {
        const auto kept = s.filter(32, [](vertex v) { return v % 7 == 0; });
        std::set<vertex> expected;
        for (vertex v = 0; v < n; v += 7) expected.insert(v);
        EXPECT_EQ(members(kept), expected);
        s.make_dense(32);
    }
}

TYPED_TEST(subsets, flags_are_set_by_one) {
    flag_array<TypeParam> flags(70);
    flags.clear();
    for (const vertex v : {0U, 31U, 32U, 69U}) {
        EXPECT_FALSE(flags.test(v));
        EXPECT_TRUE(flags.test_and_set(v));
        EXPECT_FALSE(flags.test_and_set(v));
        EXPECT_TRUE(flags.test(v));
    }
    flags.set_own(1);
    EXPECT_TRUE(flags.test(1) && flags.test(0) && !flags.test(2));
}

template <class Flags>
class edge_maps : public ::testing::Test {};
TYPED_TEST_SUITE(edge_maps, both_flags);

/// Pushed, pulled or left to the rule: the same vertices, over edges that exist.
TYPED_TEST(edge_maps, reach_the_neighbours_of_the_frontier) {
    for (std::uint64_t seed = 1; seed != 12; ++seed) {
        const vertex n = static_cast<vertex>(seed * 37);
        const csr g = build(make_edges(n, random_edges(n, 3 * n, seed)), graph::direction::directed);
        const std::vector<vertex> some = some_vertices(n, seed);
        std::set<vertex> expected;
        for (const vertex u : some) expected.insert(g.out()(u).begin(), g.out()(u).end());
        for (const walk how : {walk::push, walk::pull, walk::automatic}) {
            for (const std::size_t granularity : {0U, 1U, 32U, 100U}) {
                buffer<vertex> from(n, graph::no_vertex);
                basic_subset<TypeParam> frontier(n, some);
                const auto next = edge_map(g, frontier, first_wins{from.data()}, {granularity, how});
                EXPECT_EQ(members(next), expected);
                EXPECT_EQ(members(frontier), std::set<vertex>(some.begin(), some.end()));
                for (const vertex v : expected) {
                    EXPECT_TRUE(std::ranges::binary_search(some, from[v]));
                    EXPECT_TRUE(std::ranges::binary_search(g.out()(from[v]), v));
                }
            }
        }
    }
}

TYPED_TEST(edge_maps, pass_each_edge_once_with_its_weight) {
    const vertex n = 300;
    const csr g = build(make_edges(n, random_edges(n, 2000, 5), true), graph::direction::directed);
    const std::vector<vertex> some = some_vertices(n, 9);
    std::vector<std::uint64_t> expected(n);
    for (const vertex u : some) {
        for (std::size_t i = 0; i != g.out()(u).size(); ++i)
            expected[g.out()(u)[i]] += static_cast<std::uint64_t>(g.out().weights_of(u)[i]);
    }
    for (const walk how : {walk::push, walk::pull}) {
        std::vector<std::uint64_t> sums(n);
        basic_subset<TypeParam> frontier(n, some);
        const auto next = edge_map(g, frontier, add_weights{sums.data()}, {32, how});
        EXPECT_EQ(sums, expected);
        EXPECT_EQ(next.size(), n - static_cast<std::size_t>(std::ranges::count(expected, 0U)));
    }
}

/// Rows longer than the limit are cut into pieces, the last one shorter.
TYPED_TEST(edge_maps, cut_long_rows_without_losing_an_edge) {
    using edge_map_detail::long_row;
    for (const std::uint64_t degree : {long_row - 1, long_row, long_row + 1, 3 * long_row + 5}) {
        const auto n = static_cast<vertex>(degree + 1);
        std::vector<weighted_edge> star;
        for (vertex v = 1; v != n; ++v) star.push_back({0, v, static_cast<weight>(v)});
        const csr g = build(make_edges(n, star, true), graph::direction::directed);
        std::vector<std::uint64_t> sums(n);
        basic_subset<TypeParam> frontier(n, std::vector<vertex>{0});
        const auto next = edge_map(g, frontier, add_weights{sums.data()}, {1, walk::push});
        EXPECT_EQ(next.size(), degree);
        for (vertex v = 0; v != n; ++v) EXPECT_EQ(sums[v], v);
    }
}

TYPED_TEST(edge_maps, of_nothing_are_nothing) {
    const csr g = build(make_edges(5, {{0, 1}, {1, 2}}), graph::direction::directed);
    buffer<vertex> from(5, graph::no_vertex);
    for (const walk how : {walk::push, walk::pull, walk::automatic}) {
        basic_subset<TypeParam> none(5);
        EXPECT_TRUE(edge_map(g, none, first_wins{from.data()}, {0, how}).empty());
    }
}

/// The rule: more than a twentieth of all edges is dense.
TYPED_TEST(edge_maps, choose_the_direction_by_the_edges_of_the_frontier) {
    const vertex n = 1000;
    std::vector<weighted_edge> ring;
    for (vertex v = 0; v != n; ++v) ring.push_back({v, (v + 1) % n});
    const csr g = build(make_edges(n, ring), graph::direction::directed);
    for (const std::size_t size : {25U, 26U}) { // size and degrees: 50 and 52; the limit is 1000 / 20
        buffer<vertex> from(n, graph::no_vertex);
        std::vector<vertex> first(size);
        for (std::size_t i = 0; i != size; ++i) first[i] = static_cast<vertex>(2 * i);
        basic_subset<TypeParam> frontier(n, first);
        const auto next = edge_map(g, frontier, first_wins{from.data()});
        EXPECT_EQ(next.dense(), size == 26);
        EXPECT_EQ(frontier.dense(), size == 26);
    }
}

TEST(atomics, keep_each_update) {
    constexpr std::size_t times = 10'000;
    std::uint64_t sum = 0;
    std::uint64_t bits = 0;
    vertex least = UINT32_MAX;
    vertex claimed = graph::no_vertex;
    std::size_t winners = 0;
    std::size_t first_to_lower = 0;
    double real = 0;
    par::parallel_for(
        std::size_t{0}, times,
        [&](std::size_t i) {
            add(sum, std::uint64_t{i});
            add(real, 1.0);
            set_bits(bits, std::uint64_t{1} << (i % 64));
            if (replace_once(claimed, graph::no_vertex, static_cast<vertex>(i))) add(winners, std::size_t{1});
            vertex old = 0;
            if (write_min(least, static_cast<vertex>((i * 7919) % times), old) && old == UINT32_MAX)
                add(first_to_lower, std::size_t{1});
        },
        par::grain::fixed(1));
    EXPECT_EQ(sum, times * (times - 1) / 2);
    EXPECT_EQ(real, static_cast<double>(times));
    EXPECT_EQ(bits, UINT64_MAX);
    EXPECT_EQ(least, 0U);
    EXPECT_EQ(winners, 1U);
    EXPECT_EQ(first_to_lower, 1U);
    EXPECT_LT(claimed, times);
}

} // namespace
} // namespace apps::SKERRY_APP_VARIANT
