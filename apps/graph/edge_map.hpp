// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ligra's edge map: applies a function to the edges that leave a frontier and returns the vertices it reached. It walks
// a small frontier's own edges and pushes (`update_atomic`: several tasks may meet at one target), or lets each vertex
// pull from its neighbours in a large one (`update`: the target belongs to one task) and stop as soon as it has enough.
//
// The function is an object with
//   bool update(vertex from, vertex to [, weight])          to is this task's alone
//   bool update_atomic(vertex from, vertex to [, weight])   others may update to as well
//   bool cond(vertex to)                                    whether to still takes updates
// An update says whether `to` joins the result; update_atomic says so for at most one edge of each target. The weight
// is passed to functions that take one. Each task that pulls works with a copy of the object.

#include "graph/csr.hpp"
#include "graph/subset.hpp"
#include "support/elision.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace apps::SKERRY_APP_VARIANT {

using graph::csr;
using graph::weight;

enum class walk : unsigned char { automatic, push, pull };

struct edge_map_options {
    std::size_t granularity = 0; ///< vertices to a task; 0: automatic
    apps::SKERRY_APP_VARIANT::walk walk = walk::automatic;
};

namespace edge_map_detail {

/// Ligra's rule: a frontier whose vertices and edges are more than this part of all edges is dense.
inline constexpr std::uint64_t dense_part = 20;

/// A row longer than this is divided among tasks: skewed graphs have vertices with a tenth of all edges.
inline constexpr std::uint64_t long_row = 2048;

template <class F>
concept weighs = requires(F& f, vertex v, weight w) {
    { f.update(v, v, w) } -> std::same_as<bool>;
};

template <class F>
bool push_edge(F& f, vertex from, vertex to, [[maybe_unused]] const weight* w) {
    if (!f.cond(to)) return false;
    if constexpr (weighs<F>)
        return f.update_atomic(from, to, *w);
    else
        return f.update_atomic(from, to);
}

template <class F>
void push_some(F& f, vertex from, std::span<const vertex> ends, const weight* weights, std::vector<vertex>& reached) {
    for (const vertex to : ends) {
        if (push_edge(f, from, to, weights)) reached.push_back(to);
        if constexpr (weighs<F>) ++weights;
    }
}

template <class F>
void push_long_row(F& f, vertex from, std::span<const vertex> ends, const weight* weights, vertex_collector& reached) {
    const block_range pieces{ends.size(), long_row};
    par::parallel_for(
        std::size_t{0}, pieces.count(),
        [&](std::size_t p) {
            const std::size_t first = pieces.first(p);
            const std::span<const vertex> piece = ends.subspan(first, pieces.last(p) - first);
            push_some(f, from, piece, weighs<F> ? weights + first : nullptr, reached.local());
        },
        par::grain::fixed(1));
}

template <class Flags, class F>
basic_subset<Flags> push(const csr& g, const basic_subset<Flags>& frontier, F& f, std::size_t granularity) {
    vertex_collector reached;
    const graph::rows& out = g.out();
    frontier.each_block(granularity, [&](auto members) {
        // A long row waits for its pieces; what a task appends here meanwhile belongs to the same worker.
        std::vector<vertex>& mine = reached.local();
        members([&](vertex from) {
            const std::span<const vertex> ends = out(from);
            const weight* const weights = weighs<F> ? out.weights_of(from).data() : nullptr;
            if (ends.size() <= long_row)
                push_some(f, from, ends, weights, mine);
            else
                push_long_row(f, from, ends, weights, reached);
        });
    });
    return {g.vertices(), reached.take()};
}

template <class Flags, class F>
bool pull_row(const graph::rows& in, const flag_array<Flags>& frontier, F& f, vertex to) {
    bool joined = false;
    const std::span<const vertex> ends = in(to);
    const weight* weights = weighs<F> ? in.weights_of(to).data() : nullptr;
    for (std::size_t i = 0; i != ends.size(); ++i) {
        if (!frontier.test(ends[i])) continue;
        if constexpr (weighs<F>)
            joined |= f.update(ends[i], to, weights[i]);
        else
            joined |= f.update(ends[i], to);
        if (!f.cond(to)) break;
    }
    return joined;
}

struct totals {
    std::uint64_t vertices = 0;
    std::uint64_t degrees = 0;

    friend totals operator+(totals a, totals b) { return {a.vertices + b.vertices, a.degrees + b.degrees}; }
};

template <class Flags, class F>
basic_subset<Flags> pull(const csr& g, const basic_subset<Flags>& frontier, F& f, std::size_t granularity) {
    using flags = flag_array<Flags>;
    using cell = typename flags::cell;
    flags reached(g.vertices());
    const blocking_rule rule{granularity};
    const block_range blocks{reached.cells(), rule.block(flags::per_cell)};
    const auto fill_block = [&](std::size_t b) {
        const graph::rows& in = g.in();
        F own = f; // whose members stay in registers: through `f`, GCC reloads them behind each atomic load
        totals t;
        for (std::size_t c = blocks.first(b); c != blocks.last(b); ++c) {
            cell bits = 0;
            const std::size_t first = c * flags::per_cell;
            const std::size_t last = std::min<std::size_t>(first + flags::per_cell, g.vertices());
            for (std::size_t i = first; i != last; ++i) {
                const auto to = static_cast<vertex>(i);
                if (!own.cond(to) || !pull_row(in, frontier.in_flags(), own, to)) continue;
                bits = static_cast<cell>(bits | (cell{1} << (i - first)));
                ++t.vertices;
                t.degrees += g.out().degree(to);
            }
            reached.at_cell(c) = bits;
        }
        return t;
    };
    const totals t = par::parallel_transform_reduce(std::views::iota(std::size_t{0}, blocks.count()), totals{},
                                                    std::plus<>(), fill_block, rule.grain());
    return {g.vertices(), std::move(reached), t.vertices, t.degrees};
}

} // namespace edge_map_detail

/// The frontier's form may change; as a set it stays as it is. Work: O(edges of the frontier) to push, O(vertices +
/// edges) to pull, less what `cond` spares.
template <class Flags, class F>
basic_subset<Flags> edge_map(const csr& g, basic_subset<Flags>& frontier, F f, edge_map_options o = {}) {
    using namespace edge_map_detail;
    const std::uint64_t threshold = g.arcs() / dense_part;
    const bool large =
        o.walk == walk::pull ||
        (o.walk == walk::automatic &&
         (frontier.size() > threshold || frontier.size() + frontier.degrees(g, o.granularity) > threshold));
    if (large) {
        frontier.make_dense(o.granularity);
        return pull(g, frontier, f, o.granularity);
    }
    frontier.make_sparse(o.granularity);
    return push(g, frontier, f, o.granularity);
}

} // namespace apps::SKERRY_APP_VARIANT
