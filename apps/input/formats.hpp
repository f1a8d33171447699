// SPDX-License-Identifier: Apache-2.0
#pragma once

// The file formats of graphs. Every parser rejects what is malformed with input_error "FILE:LINE: REASON", and
// allocates for a number that the file states only after the file has shown as much content.

#include "graph/csr.hpp"
#include "input/scan.hpp"
#include "input/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace apps::input {

struct parse_options {
    bool weights = false; ///< keep the weights; where an edge has none, it is 1
    std::size_t block_bytes = default_block_bytes;
};

struct parsed_graph {
    graph::edge_list edges;
    graph::direction direction = graph::direction::directed;
};

/// Ligra's AdjacencyGraph and WeightedAdjacencyGraph: that word, then the numbers of vertices n and of edges m, n
/// offsets into the edges, m targets and, if weighted, m weights, separated by any white space.
parsed_graph parse_adjacency(const text& t, const parse_options& o);

/// An edge list, as of SNAP, KONECT and networkx: a line for each edge, "FROM TO" or (on all lines) "FROM TO WEIGHT",
/// "FROM TO WEIGHT TIME", "FROM TO {'weight': WEIGHT, ...}". Blanks, commas or semicolons stand between; with other
/// than spaces the first line may be titles. Numbers may stand in double quotes. From #, % or // on, a line is a
/// comment. The vertices are the numbers that stand there, whatever they are.
parsed_graph parse_edge_list(const text& t, const parse_options& o);

/// Matrix Market's coordinate form, square. Row i, column j is the edge from i - 1 to j - 1, and where the matrix has a
/// symmetry, also back. If weights are asked for, real values must be whole numbers, and complex values and the
/// symmetries of other signs (skew-symmetric, hermitian) are refused. Every row is a vertex; only of more
/// than row_limit(entries) those alone that have an entry, or their column has.
parsed_graph parse_matrix_market(const text& t, const parse_options& o);

/// By content: a Matrix Market banner, one of Ligra's two words, and an edge list otherwise.
parsed_graph parse_graph(const text& t, const parse_options& o);

/// A row without an entry costs a file nothing; memory for its vertex must still be in proportion.
constexpr std::uint64_t row_limit(std::uint64_t entries) noexcept {
    constexpr std::uint64_t always = std::uint64_t{1} << 20U;
    constexpr std::uint64_t each = 8;
    return entries < (graph::no_vertex - always) / each ? always + each * entries : graph::no_vertex;
}

} // namespace apps::input
