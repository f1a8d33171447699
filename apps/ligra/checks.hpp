// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a result is right, by means that share nothing with the programs: no edge map, no subset, one thread.

#include "graph/csr.hpp"
#include "program.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace apps::ligra {

using graph::csr;
using graph::no_vertex;
using graph::vertex;

inline constexpr std::uint32_t no_level = UINT32_MAX;
inline constexpr std::int64_t no_distance = std::numeric_limits<std::int64_t>::max();

/// Distances by one queue; no_level where a vertex is not reached.
std::vector<std::uint32_t> levels_from(const csr& g, std::span<const vertex> roots);

/// How many steps up the parents lead to a root, a vertex that is its own parent; no_level where they lead to none.
std::vector<std::uint32_t> levels_of_tree(std::span<const vertex> parents);

/// A breadth-first tree: the roots are their own parents, each parent has an edge to its child, and along every edge
/// the level rises by at most one.
verdict check_bfs(const csr& g, std::span<const vertex> roots, std::span<const vertex> parents);

/// Brandes' dependencies of one source, recomputed.
verdict check_bc(const csr& g, vertex source, std::span<const double> dependencies);

/// Shortest paths: no edge makes a path shorter, and edges that are tight join every reached vertex to the source. If a
/// negative cycle was reported, finds one.
verdict check_bf(const csr& g, vertex source, std::span<const std::int64_t> distances, bool negative_cycle);

/// Labels are equal along every edge, and there are as many as a union-find counts components.
verdict check_cc(const csr& g, std::span<const vertex> labels);

/// No two members are neighbours; whoever is no member has one as neighbour.
verdict check_mis(const csr& g, std::span<const std::uint8_t> members);

/// No estimate is below the distance to a sample (for some samples), and some are exactly the largest.
verdict check_radii(const csr& g, std::span<const vertex> samples, std::span<const std::int32_t> radii);

/// Counts again, by marking neighbours.
verdict check_tc(const csr& g, std::uint64_t triangles);

/// Whether a cycle of negative weight shows in distances that a Bellman-Ford search has reached so far: follows from
/// each vertex the edge by which it is nearest. A cycle of those edges has weight <= 0. May miss a cycle early in the
/// search.
bool shows_negative_cycle(const csr& g, vertex source, std::span<const std::int64_t> distances);

} // namespace apps::ligra
