// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small graphs for the tests, and graphs written out.

#include "graph/csr.hpp"
#include "support/random.hpp"

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace apps::testing_support {

struct weighted_edge {
    graph::vertex from = 0;
    graph::vertex to = 0;
    graph::weight weight = 0;

    friend bool operator==(const weighted_edge&, const weighted_edge&) = default;
    friend std::ostream& operator<<(std::ostream& out, const weighted_edge& e) {
        return out << e.from << "->" << e.to << ":" << e.weight;
    }
};

inline graph::edge_list make_edges(std::uint64_t vertices, const std::vector<weighted_edge>& edges,
                                   bool weights = false) {
    graph::edge_list e;
    e.vertices = vertices;
    e.from = graph::buffer<graph::vertex>(edges.size());
    e.to = graph::buffer<graph::vertex>(edges.size());
    if (weights) e.weights = graph::buffer<graph::weight>(edges.size());
    for (std::size_t i = 0; i != edges.size(); ++i) {
        e.from[i] = edges[i].from;
        e.to[i] = edges[i].to;
        if (weights) e.weights[i] = edges[i].weight;
    }
    return e;
}

inline std::vector<weighted_edge> random_edges(graph::vertex vertices, std::size_t count, std::uint64_t seed) {
    std::vector<weighted_edge> edges(count);
    for (std::size_t i = 0; i != count; ++i) {
        edges[i].from = static_cast<graph::vertex>(random_at(seed, 3 * i) % vertices);
        edges[i].to = static_cast<graph::vertex>(random_at(seed, 3 * i + 1) % vertices);
        edges[i].weight = static_cast<graph::weight>(1 + random_at(seed, 3 * i + 2) % 9);
    }
    return edges;
}

/// A row after the other, as they stand.
inline std::vector<weighted_edge> edges_of(const graph::rows& rows, graph::vertex vertices) {
    std::vector<weighted_edge> edges;
    for (graph::vertex v = 0; v != vertices; ++v) {
        for (std::size_t i = 0; i != rows(v).size(); ++i)
            edges.push_back({v, rows(v)[i], rows.weights.empty() ? 0 : rows.weights_of(v)[i]});
    }
    return edges;
}

inline std::vector<weighted_edge> edges_of(const graph::edge_list& e) {
    std::vector<weighted_edge> edges;
    for (std::size_t i = 0; i != e.size(); ++i)
        edges.push_back({e.from[i], e.to[i], e.weights.empty() ? 0 : e.weights[i]});
    return edges;
}

inline std::vector<std::uint64_t> names_of(const graph::edge_list& e) { return {e.names.begin(), e.names.end()}; }

} // namespace apps::testing_support
