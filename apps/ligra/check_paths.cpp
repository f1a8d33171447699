// SPDX-License-Identifier: Apache-2.0
#include "ligra/checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace apps::ligra {
namespace {

using graph::weight;

/// As the graph's file calls it.
std::string name_of(const csr& g, vertex v) { return std::to_string(v < g.vertices() ? g.name(v) : v); }

std::string edge_text(const csr& g, vertex u, vertex v) { return "edge " + name_of(g, u) + " to " + name_of(g, v); }

bool has_edge(const csr& g, vertex u, vertex v) { return std::ranges::binary_search(g.out()(u), v); }

/// An edge into each vertex.
struct chosen_edges {
    std::vector<vertex> from; ///< no_vertex: none
    std::vector<weight> weights;

    explicit chosen_edges(std::size_t vertices) : from(vertices, no_vertex), weights(vertices) {}
};

/// Whether a cycle among the chosen edges has negative weight.
bool has_negative_cycle(const chosen_edges& chosen) {
    const std::size_t n = chosen.from.size();
    std::vector<vertex> walk_of(n, no_vertex);
    for (vertex start = 0; start != n; ++start) {
        vertex v = start;
        while (v != no_vertex && walk_of[v] == no_vertex) {
            walk_of[v] = start;
            v = chosen.from[v];
        }
        if (v == no_vertex || walk_of[v] != start) continue;
        const vertex first = v;
        std::int64_t sum = 0;
        do {
            sum += chosen.weights[v];
            v = chosen.from[v];
        } while (v != first);
        if (sum < 0) return true;
    }
    return false;
}

template <class Visit>
void each_edge(const csr& g, Visit visit) {
    for (vertex u = 0; u != g.vertices(); ++u) {
        const auto ends = g.out()(u);
        const auto weights = g.weighted() ? g.out().weights_of(u) : std::span<const weight>();
        for (std::size_t i = 0; i != ends.size(); ++i) visit(u, ends[i], weights.empty() ? 1 : weights[i]);
    }
}

/// One thread relaxes all edges until nothing changes, or until the edges that were used last close a cycle: that has
/// negative weight. Starts from distances that some path or walk has.
bool finds_negative_cycle(const csr& g, std::vector<std::int64_t> distances) {
    chosen_edges used(g.vertices());
    for (bool changed = true; changed;) {
        changed = false;
        each_edge(g, [&](vertex u, vertex v, weight w) {
            if (distances[u] == no_distance || distances[u] + w >= distances[v]) return;
            distances[v] = distances[u] + w;
            used.from[v] = u;
            used.weights[v] = w;
            changed = true;
        });
        if (has_negative_cycle(used)) return true;
    }
    return false;
}

/// How many vertices can be reached from the source over edges that are exactly as long as the distance they bridge.
std::size_t reached_by_tight_edges(const csr& g, vertex source, std::span<const std::int64_t> distances) {
    std::vector<bool> seen(g.vertices());
    std::vector<vertex> stack{source};
    seen[source] = true;
    std::size_t count = 1;
    while (!stack.empty()) {
        const vertex u = stack.back();
        stack.pop_back();
        const auto ends = g.out()(u);
        const auto weights = g.out().weights_of(u);
        for (std::size_t i = 0; i != ends.size(); ++i) {
            if (seen[ends[i]] || distances[u] + weights[i] != distances[ends[i]]) continue;
            seen[ends[i]] = true;
            ++count;
            stack.push_back(ends[i]);
        }
    }
    return count;
}

} // namespace

std::vector<std::uint32_t> levels_from(const csr& g, std::span<const vertex> roots) {
    std::vector<std::uint32_t> levels(g.vertices(), no_level);
    std::vector<vertex> queue;
    for (const vertex root : roots) {
        if (levels[root] == 0) continue;
        levels[root] = 0;
        queue.push_back(root);
    }
    for (std::size_t i = 0; i != queue.size(); ++i) {
        for (const vertex v : g.out()(queue[i])) {
            if (levels[v] != no_level) continue;
            levels[v] = levels[queue[i]] + 1;
            queue.push_back(v);
        }
    }
    return levels;
}

std::vector<std::uint32_t> levels_of_tree(std::span<const vertex> parents) {
    const std::size_t n = parents.size();
    std::vector<std::uint32_t> levels(n, no_level);
    std::vector<bool> known(n);
    std::vector<vertex> path;
    for (vertex start = 0; start != n; ++start) {
        path.clear();
        vertex v = start;
        while (v < n && !known[v] && parents[v] != v) {
            known[v] = true; // until it has a level, none: a cycle ends here
            path.push_back(v);
            v = parents[v];
        }
        std::uint32_t level = no_level;
        if (v < n) {
            if (parents[v] == v) {
                known[v] = true;
                levels[v] = 0;
            }
            level = levels[v];
        }
        for (; level != no_level && !path.empty(); path.pop_back()) levels[path.back()] = ++level;
    }
    return levels;
}

verdict check_bfs(const csr& g, std::span<const vertex> roots, std::span<const vertex> parents) {
    for (const vertex root : roots) {
        if (parents[root] != root) return {false, "root " + name_of(g, root) + " is not its own parent"};
    }
    const auto levels = levels_of_tree(parents);
    std::size_t reached = 0;
    std::size_t tops = 0;
    for (vertex v = 0; v != g.vertices(); ++v) {
        const vertex parent = parents[v];
        if (parent == no_vertex) continue;
        ++reached;
        if (parent == v)
            ++tops;
        else if (parent >= g.vertices() || !has_edge(g, parent, v))
            return {false, "there is no " + edge_text(g, parent, v) + ", its child"};
        if (levels[v] == no_level) return {false, "no root is above vertex " + name_of(g, v)};
    }
    if (tops != roots.size()) return {false, "a vertex is its own parent and no root"};
    verdict result{true, std::to_string(reached) + " levels, edge by edge"};
    each_edge(g, [&](vertex u, vertex v, weight) {
        if (levels[u] == no_level || (levels[v] != no_level && levels[v] <= levels[u] + 1)) return;
        result = {false, edge_text(g, u, v) + " would be a shorter way"};
    });
    return result;
}

verdict check_bc(const csr& g, vertex source, std::span<const double> dependencies) {
    const auto levels = levels_from(g, std::span(&source, 1));
    std::vector<vertex> order;
    for (vertex v = 0; v != g.vertices(); ++v) {
        if (levels[v] != no_level) order.push_back(v);
    }
    std::ranges::sort(order, {}, [&](vertex v) { return levels[v]; });
    std::vector<double> paths(g.vertices());
    std::vector<double> expected(g.vertices());
    paths[source] = 1;
    for (const vertex u : order) {
        for (const vertex v : g.out()(u)) {
            if (levels[v] == levels[u] + 1) paths[v] += paths[u];
        }
        if (std::isinf(paths[u])) {
            return {false, "vertex " + name_of(g, u) + " has more shortest paths than a double can count"};
        }
    }
    for (auto u = order.rbegin(); u != order.rend(); ++u) {
        for (const vertex v : g.out()(*u)) {
            if (levels[v] == levels[*u] + 1) expected[*u] += paths[*u] / paths[v] * (1 + expected[v]);
        }
    }
    constexpr double tolerance = 1e-9;
    for (vertex v = 0; v != g.vertices(); ++v) {
        const double error = std::abs(dependencies[v] - expected[v]);
        if (!(error <= tolerance * std::max(1.0, expected[v]))) {
            return {false, "vertex " + name_of(g, v) + " has " + std::to_string(dependencies[v]) + ", Brandes " +
                               std::to_string(expected[v])};
        }
    }
    return {true, std::to_string(order.size()) + " vertices as Brandes"};
}

bool shows_negative_cycle(const csr& g, vertex source, std::span<const std::int64_t> distances) {
    if (distances[source] < 0) return true;
    chosen_edges nearest(g.vertices());
    for (vertex v = 0; v != g.vertices(); ++v) {
        if (v == source) continue;
        const auto ends = g.in()(v);
        const auto weights = g.in().weights_of(v);
        std::int64_t least = no_distance;
        for (std::size_t i = 0; i != ends.size(); ++i) {
            if (distances[ends[i]] == no_distance || distances[ends[i]] + weights[i] >= least) continue;
            least = distances[ends[i]] + weights[i];
            nearest.from[v] = ends[i];
            nearest.weights[v] = weights[i];
        }
    }
    return has_negative_cycle(nearest);
}

verdict check_bf(const csr& g, vertex source, std::span<const std::int64_t> distances, bool negative_cycle) {
    if (negative_cycle) {
        const bool found = finds_negative_cycle(g, {distances.begin(), distances.end()});
        return {found, found ? "a negative cycle, found again" : "there is no negative cycle"};
    }
    if (distances[source] != 0) return {false, "the source is not at distance 0"};
    verdict result{true, ""};
    each_edge(g, [&](vertex u, vertex v, weight w) {
        if (distances[u] == no_distance || distances[v] <= distances[u] + w) return;
        result = {false, edge_text(g, u, v) + " would be a shorter way"};
    });
    if (!result.ok) return result;
    const std::size_t tight = reached_by_tight_edges(g, source, distances);
    const auto n = distances.size() - static_cast<std::size_t>(std::ranges::count(distances, no_distance));
    if (tight != n) {
        return {false, std::to_string(n - tight) + " vertices have a distance that no path has"};
    }
    return {true, std::to_string(n) + " distances, edge by edge"};
}

verdict check_radii(const csr& g, std::span<const vertex> samples, std::span<const std::int32_t> radii) {
    // All of it where that is cheap, else a few searches from samples (a bound for every vertex) and a few from other
    // vertices (the exact radius of those).
    constexpr std::uint64_t cheap = std::uint64_t{1} << 25U;
    constexpr std::size_t few = 4;
    const bool all = (g.arcs() + g.vertices()) * samples.size() <= cheap;
    const std::size_t searches = all ? samples.size() : std::min(few, samples.size());
    std::vector<std::int32_t> bounds(g.vertices(), -1);
    for (const vertex sample : samples.first(searches)) {
        const auto levels = levels_from(g, std::span(&sample, 1));
        for (vertex v = 0; v != g.vertices(); ++v) {
            if (levels[v] != no_level) bounds[v] = std::max(bounds[v], static_cast<std::int32_t>(levels[v]));
        }
    }
    for (vertex v = 0; v != g.vertices(); ++v) {
        if (radii[v] < bounds[v] || (all && radii[v] != bounds[v])) {
            return {false, "vertex " + name_of(g, v) + " has radius " + std::to_string(radii[v]) + ", searches say " +
                               std::to_string(bounds[v])};
        }
    }
    for (std::size_t i = 0; !all && i != few; ++i) {
        const vertex v = i == 0 ? samples[0] : static_cast<vertex>(i * (g.vertices() / few));
        const auto levels = levels_from(g, std::span(&v, 1));
        std::int32_t exact = -1;
        for (const vertex sample : samples) {
            if (levels[sample] != no_level) exact = std::max(exact, static_cast<std::int32_t>(levels[sample]));
        }
        if (radii[v] != exact) {
            return {false, "vertex " + name_of(g, v) + " has radius " + std::to_string(radii[v]) + ", not " +
                               std::to_string(exact)};
        }
    }
    return {true, std::to_string(searches) + " searches, one by one"};
}

} // namespace apps::ligra
