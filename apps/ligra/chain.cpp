// SPDX-License-Identifier: Apache-2.0
#include "ligra/chain.hpp"

#include "ligra/checks.hpp"

#include <algorithm>

namespace apps::ligra {
namespace {

using graph::no_vertex;
using graph::vertex;

std::string name_of(const problem_graph& g, vertex v) {
    return g.words ? input::readable(g.words->words(v).front()) : std::to_string(g.graph.name(v));
}

/// The vertex below, with what it is to the one before.
std::string step(const problem_graph& g, vertex before, vertex v, const std::string& name) {
    std::string line = "\n  -> " + name;
    const std::string_view relation = g.words ? g.words->relation(before, v) : std::string_view();
    if (!relation.empty()) line += " (" + std::string(relation) + ")";
    return line;
}

std::string print_reached(std::span<const std::uint32_t> levels) {
    std::size_t reached = 0;
    std::uint32_t deepest = 0;
    for (const std::uint32_t level : levels) {
        if (level == no_level) continue;
        ++reached;
        deepest = std::max(deepest, level);
    }
    return std::to_string(reached) + " of " + std::to_string(levels.size()) + " vertices reached, the farthest in " +
           std::to_string(deepest) + (deepest == 1 ? " step" : " steps");
}

} // namespace

std::string print_search(const problem_graph& g, std::span<const vertex> parents, const path_request& r) {
    const std::vector<std::uint32_t> levels = levels_of_tree(parents);
    if (r.targets.empty()) return print_reached(levels);
    const vertex target = *std::ranges::min_element(r.targets, {}, [&](vertex v) { return levels[v]; });
    const std::string from = r.from.empty() ? "where the search began" : input::readable(r.from);
    const std::string to = input::readable(r.to);
    if (levels[target] == no_level) return "no path leads from " + from + " to " + to;

    std::vector<vertex> path{target};
    while (parents[path.back()] != path.back()) path.push_back(parents[path.back()]);
    std::ranges::reverse(path);
    const std::size_t steps = path.size() - 1;
    std::string text = std::to_string(steps) + (steps == 1 ? " step from " : " steps from ") + from + " to " + to +
                       ":\n  " + (r.from.empty() ? name_of(g, path.front()) : from);
    for (std::size_t i = 1; i < path.size(); ++i) {
        text += step(g, path[i - 1], path[i], i == steps ? to : name_of(g, path[i]));
    }
    return text;
}

void orphan_someone(vertex* parents, std::size_t vertices, std::span<const vertex> roots) {
    for (vertex v = 0; v != vertices; ++v) {
        if (parents[v] != no_vertex && parents[v] != v) {
            parents[v] = no_vertex;
            return;
        }
    }
    parents[roots.front()] = no_vertex;
}

} // namespace apps::ligra
