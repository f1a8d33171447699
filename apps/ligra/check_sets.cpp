// SPDX-License-Identifier: Apache-2.0
#include "ligra/checks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

namespace apps::ligra {
namespace {

class union_find {
  public:
    explicit union_find(std::size_t n) : above_(n), sets_(n) { std::iota(above_.begin(), above_.end(), vertex{0}); }

    vertex find(vertex v) {
        while (above_[v] != v) v = above_[v] = above_[above_[v]];
        return v;
    }

    void join(vertex u, vertex v) {
        u = find(u);
        v = find(v);
        if (u == v) return;
        above_[std::max(u, v)] = std::min(u, v);
        --sets_;
    }

    std::size_t sets() const { return sets_; }

  private:
    std::vector<vertex> above_;
    std::size_t sets_;
};

} // namespace

verdict check_cc(const csr& g, std::span<const vertex> labels) {
    union_find sets(g.vertices());
    std::vector<bool> used(g.vertices());
    std::size_t different = 0;
    for (vertex u = 0; u != g.vertices(); ++u) {
        if (labels[u] >= g.vertices()) return {false, "vertex " + std::to_string(g.name(u)) + " has no valid label"};
        if (!used[labels[u]]) ++different;
        used[labels[u]] = true;
        for (const vertex v : g.out()(u)) {
            sets.join(u, v);
            if (labels[u] != labels[v]) {
                return {false, "neighbours " + std::to_string(g.name(u)) + " and " + std::to_string(g.name(v)) +
                                   " have two labels"};
            }
        }
    }
    if (different != sets.sets()) {
        return {false, std::to_string(different) + " labels, " + std::to_string(sets.sets()) + " components"};
    }
    return {true, std::to_string(different) + " components as union-find"};
}

verdict check_mis(const csr& g, std::span<const std::uint8_t> members) {
    std::size_t size = 0;
    for (vertex v = 0; v != g.vertices(); ++v) {
        const auto ends = g.out()(v);
        const auto neighbour = std::ranges::find_if(ends, [&](vertex u) { return members[u] != 0; });
        if (members[v] != 0 && neighbour != ends.end()) {
            return {false, "members " + std::to_string(g.name(v)) + " and " + std::to_string(g.name(*neighbour)) +
                               " are neighbours"};
        }
        if (members[v] == 0 && neighbour == ends.end()) {
            return {false, "vertex " + std::to_string(g.name(v)) + " could be a member"};
        }
        size += members[v];
    }
    return {true, std::to_string(size) + " members, independent and maximal"};
}

verdict check_tc(const csr& g, std::uint64_t triangles) {
    // Vertices leave one at a time, those of low degree first; whoever leaves marks the neighbours that remain, and
    // each of these finds the marked among its own.
    std::vector<vertex> order(g.vertices());
    std::iota(order.begin(), order.end(), vertex{0});
    std::ranges::sort(order, {}, [&](vertex v) { return g.out().degree(v); });
    std::vector<vertex> turn(g.vertices());
    for (std::size_t i = 0; i != order.size(); ++i) turn[order[i]] = static_cast<vertex>(i);
    std::vector<std::vector<vertex>> later(g.vertices());
    std::vector<vertex> marked_by(g.vertices(), no_vertex);
    std::uint64_t count = 0;
    for (auto place = order.rbegin(); place != order.rend(); ++place) {
        const vertex v = *place;
        for (const vertex u : g.out()(v)) {
            if (turn[u] <= turn[v]) continue;
            later[v].push_back(u);
            marked_by[u] = v;
        }
        for (const vertex u : later[v]) {
            count += static_cast<std::uint64_t>(
                std::ranges::count_if(later[u], [&](vertex w) { return marked_by[w] == v; }));
        }
    }
    if (count != triangles) {
        return {false, std::to_string(triangles) + " counted, there are " + std::to_string(count)};
    }
    return {true, std::to_string(count) + " triangles by marking"};
}

} // namespace apps::ligra
