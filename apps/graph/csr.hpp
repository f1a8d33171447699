// SPDX-License-Identifier: Apache-2.0
#pragma once

// A graph in compressed sparse rows: for each vertex, its neighbours in one array, ascending, without loops and without
// repetition. A directed graph is kept twice, by source and by target, because an edge map walks it both ways.

#include "graph/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace apps::graph {

using vertex = std::uint32_t;
using weight = std::int32_t;

/// No vertex has this number; so a graph has at most this many.
inline constexpr vertex no_vertex = UINT32_MAX;

/// Edges in any order, loops and repetitions allowed. `weights` is empty or as long as the others.
struct edge_list {
    std::uint64_t vertices = 0;
    buffer<vertex> from;
    buffer<vertex> to;
    buffer<weight> weights;
    buffer<std::uint64_t> names; ///< what the file calls each vertex, ascending; empty: by its number

    std::size_t size() const noexcept { return from.size(); }
};

/// What `build` makes of an edge: an arc one way, or one each way.
enum class direction : unsigned char { directed, undirected };

/// One direction of a graph: the arcs that leave a vertex, or those that enter it.
struct rows {
    buffer<std::uint64_t> offsets;
    buffer<vertex> ends;
    buffer<weight> weights;

    std::uint64_t degree(vertex v) const noexcept { return offsets[v + std::size_t{1}] - offsets[v]; }

    std::span<const vertex> operator()(vertex v) const noexcept { return {ends.data() + offsets[v], degree(v)}; }

    std::span<const weight> weights_of(vertex v) const noexcept { return {weights.data() + offsets[v], degree(v)}; }
};

/// Thread safety: constant after construction.
class csr {
  public:
    csr() = default;
    csr(rows out, rows in, buffer<std::uint64_t> names = {})
        : out_(static_cast<rows&&>(out)),
          in_(static_cast<rows&&>(in)),
          names_(static_cast<buffer<std::uint64_t>&&>(names)) {}

    vertex vertices() const noexcept { return out_.offsets.empty() ? 0 : static_cast<vertex>(out_.offsets.size() - 1); }

    /// Counts an undirected edge twice.
    std::uint64_t arcs() const noexcept { return out_.ends.size(); }

    bool symmetric() const noexcept { return in_.offsets.empty(); }
    bool weighted() const noexcept { return !out_.weights.empty(); }
    const rows& out() const noexcept { return out_; }
    const rows& in() const noexcept { return symmetric() ? out_ : in_; }

    /// The vertex with most outgoing arcs, the lowest of several: where a search starts when nobody says where.
    vertex hub() const noexcept;

    /// What the graph's file calls a vertex: its number, where the file uses all numbers from 0 on.
    std::uint64_t name(vertex v) const noexcept { return names_.empty() ? v : names_[v]; }

    /// Whether vertices are called by other numbers than their own.
    bool renumbered() const noexcept { return !names_.empty(); }

    /// The vertex of that name, or no_vertex.
    vertex named(std::uint64_t name) const noexcept;

  private:
    rows out_;
    rows in_; ///< empty in a symmetric graph
    buffer<std::uint64_t> names_;
};

/// Drops loops, and of repeated edges all but the lightest. A graph whose edges all have their reverse (of the same
/// weight) comes out symmetric. In parallel; O(vertices + edges log degree). Precondition: `e.vertices` < no_vertex
/// and every end is below it.
csr build(const edge_list& e, direction d);

} // namespace apps::graph
