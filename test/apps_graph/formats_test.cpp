// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"
#include "program.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

namespace apps::input {
namespace {

using testing_support::edges_of;
using testing_support::weighted_edge;

using edges = std::vector<weighted_edge>;

/// Parses with blocks of many sizes, of which the smallest put every word into one of its own: all must agree.
parsed_graph parse(std::string_view bytes, bool weights = false) {
    const text t("file", bytes);
    parsed_graph result = parse_graph(t, {.weights = weights});
    for (std::size_t block = 1; block <= bytes.size(); block += 1 + block / 4) {
        const parsed_graph again = parse_graph(t, {.weights = weights, .block_bytes = block});
        EXPECT_EQ(edges_of(again.edges), edges_of(result.edges)) << "blocks of " << block;
        EXPECT_EQ(again.edges.vertices, result.edges.vertices) << "blocks of " << block;
        EXPECT_EQ(again.direction, result.direction);
    }
    return result;
}

/// What the parser says against these bytes; the same with blocks of any size.
std::string complaint(std::string_view bytes, bool weights = true) {
    std::string first;
    for (std::size_t block = 1; block <= bytes.size() + 1; block += 1 + block / 4) {
        std::string said = "accepted";
        try {
            parse_graph(text("file", bytes), {.weights = weights, .block_bytes = block});
        } catch (const input_error& e) {
            said = e.what();
        }
        if (first.empty()) first = said;
        EXPECT_EQ(said, first) << "blocks of " << block;
    }
    return first;
}

TEST(adjacency, is_read) {
    const parsed_graph p = parse("AdjacencyGraph\n3\n4\n0\n2\n2\n1\n2\n0\n1\n");
    EXPECT_EQ(p.direction, graph::direction::directed);
    EXPECT_EQ(p.edges.vertices, 3U);
    EXPECT_EQ(edges_of(p.edges), (edges{{0, 1}, {0, 2}, {2, 0}, {2, 1}}));
}

TEST(adjacency, takes_any_white_space_and_no_last_newline) {
    EXPECT_EQ(edges_of(parse("AdjacencyGraph 2\t1\r\n\n0 1 \v 1").edges), (edges{{0, 1}}));
    EXPECT_EQ(parse("AdjacencyGraph\n5\n0\n0\n0\n0\n0\n0\n").edges.vertices, 5U);
}

TEST(adjacency, weights_are_kept_if_asked_for) {
    const std::string_view bytes = "WeightedAdjacencyGraph\n2\n2\n0\n1\n1\n0\n-5\n2147483647\n";
    EXPECT_EQ(edges_of(parse(bytes, true).edges), (edges{{0, 1, -5}, {1, 0, 2147483647}}));
    EXPECT_EQ(edges_of(parse(bytes, false).edges), (edges{{0, 1}, {1, 0}}));
    EXPECT_EQ(edges_of(parse("AdjacencyGraph\n2\n1\n0\n1\n1\n", true).edges), (edges{{0, 1, 1}}));
}

TEST(adjacency, rejects_what_is_malformed) {
    EXPECT_EQ(complaint("AdjacencyGraph"), "file:1: the file ends where the number of vertices should stand");
    EXPECT_EQ(complaint("AdjacencyGraph\n3\n"), "file:2: the file ends where the number of edges should stand");
    EXPECT_EQ(complaint("AdjacencyGraph\n-3\n1\n"), "file:2: '-3' is negative");
    EXPECT_EQ(complaint("AdjacencyGraph\nx\n1\n"), "file:2: 'x' is not a whole number");
    EXPECT_EQ(complaint("AdjacencyGraph\n0\n0\n"), "file:2: the graph has no vertices");
    EXPECT_EQ(complaint("AdjacencyGraph\n99999999999999999999\n0\n"),
              "file:2: '99999999999999999999' is out of range: 0 to 4294967295");
    EXPECT_EQ(complaint("MyAdjacencyGraph\n1\n0\n0\n"),
              "file:1: not Ligra's adjacency form: it begins with 'MyAdjacencyGraph'");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n0\n1\n"),
              "file:5: truncated: 2 vertices and 1 edges need 3 numbers, there are 2");
    EXPECT_EQ(complaint("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n"),
              "file:6: truncated: 2 vertices and 1 edges need 4 numbers, there are 3");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n0\n1\n1\n7\n"),
              "file:7: '7' is one too many: 2 vertices and 1 edges need 3 numbers");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n1\n1\n1\n"), "file:4: not a graph: the first offset is 1, not 0");
    EXPECT_EQ(complaint("AdjacencyGraph\n3\n3\n0\n2\n1\n0\n0\n0\n"),
              "file:6: not a graph: offset 1 follows the larger 2");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n0\n2\n1\n"), "file:5: offset: '2' is out of range: 0 to 1");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n0\n1\n2\n"), "file:6: target: '2' is out of range: 0 to 1");
    EXPECT_EQ(complaint("AdjacencyGraph\n2\n1\n0\n1\n-1\n"), "file:6: target: '-1' is negative");
    EXPECT_EQ(complaint("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n2147483648\n"),
              "file:7: weight: '2147483648' is out of range: -2147483648 to 2147483647");
    EXPECT_EQ(complaint("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n0.5\n"), "file:7: weight: '0.5' is not a whole number");
    EXPECT_EQ(complaint("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n0.5\n", false),
              "file:7: weight: '0.5' is not a whole number");
}

TEST(adjacency, of_two_errors_the_first_is_reported) {
    EXPECT_EQ(complaint("AdjacencyGraph\n3\n3\n0\n1\n2\nx\n0\ny\n"), "file:7: target: 'x' is not a whole number");
}

TEST(edge_list, is_read) {
    const parsed_graph p = parse("# Directed graph\n# FromNodeId\tToNodeId\n0\t1\r\n\n 5 2\n%\n2 0");
    EXPECT_EQ(p.direction, graph::direction::directed);
    EXPECT_EQ(p.edges.vertices, 6U);
    EXPECT_EQ(edges_of(p.edges), (edges{{0, 1}, {5, 2}, {2, 0}}));
    EXPECT_EQ(edges_of(parse("0 1\n", true).edges), (edges{{0, 1, 1}}));
}

TEST(edge_list, weights_are_kept_if_asked_for) {
    EXPECT_EQ(edges_of(parse("0 1 -2\n1 2 3\n", true).edges), (edges{{0, 1, -2}, {1, 2, 3}}));
    EXPECT_EQ(edges_of(parse("0 1 -2\n1 2 3\n", false).edges), (edges{{0, 1}, {1, 2}}));
}

TEST(edge_list, rejects_what_is_malformed) {
    EXPECT_EQ(complaint(""), "file:1: the file has no edge");
    EXPECT_EQ(complaint("\n\n"), "file:2: the file has no edge");
    EXPECT_EQ(complaint("# nothing\n"), "file:1: the file has no edge");
    EXPECT_EQ(complaint("0 1\n5\n"), "file:2: vertex: a number is missing");
    EXPECT_EQ(complaint("5\n"), "file:1: vertex: a number is missing");
    EXPECT_EQ(complaint("0 1\n2 -7\n"), "file:2: vertex: '-7' is negative");
    EXPECT_EQ(complaint("0 1\n1e3 7\n"), "file:2: vertex: '1e3' is not a whole number");
    EXPECT_EQ(complaint("0 1\n2 3 4\n"), "file:2: '4' is too much on this line");
    EXPECT_EQ(complaint("0 1 2\n2 3\n"), "file:2: weight: a number is missing");
    EXPECT_EQ(complaint("0 1 2\n2 3 4 5\n"), "file:2: '5' is too much on this line");
    EXPECT_EQ(complaint("0 1 x\n"), "file:1: weight: 'x' is not a whole number");
    EXPECT_EQ(complaint("0 4294967295\n"), "file:1: vertex: '4294967295' is out of range: 0 to 1048679");
    EXPECT_EQ(complaint("0 18446744073709551616\n"),
              "file:1: vertex: '18446744073709551616' is out of range: 0 to 1048759");
    EXPECT_EQ(complaint(std::string_view("\x7f"
                                         "ELF\0\x01 x\n",
                                         9)),
              "file:1: vertex: '\\x7fELF\\x00\\x01' is not a whole number");
    EXPECT_EQ(complaint(std::string(100, 'a') + " 1\n"),
              "file:1: vertex: '" + std::string(40, 'a') + "...' is not a whole number");
}

constexpr std::string_view pattern = "%%MatrixMarket matrix coordinate pattern general\n";

TEST(matrix_market, is_read) {
    const parsed_graph p = parse(std::string(pattern) + "% by hand\n\n3 3 2\n1 2\n% between\n3 1\n");
    EXPECT_EQ(p.direction, graph::direction::directed);
    EXPECT_EQ(p.edges.vertices, 3U);
    EXPECT_EQ(edges_of(p.edges), (edges{{0, 1}, {2, 0}}));
    EXPECT_EQ(parse(std::string(pattern) + "7 7 0\n").edges.vertices, 7U);
    EXPECT_EQ(parse("%%MatrixMarket MATRIX Coordinate Pattern SYMMETRIC\n2 2 1\n2 1\n").direction,
              graph::direction::undirected);
}

TEST(matrix_market, values_are_weights_if_asked_for) {
    EXPECT_EQ(edges_of(parse("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -9\n", true).edges),
              (edges{{0, 1, -9}}));
    EXPECT_EQ(edges_of(parse("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.0e1\n", true).edges),
              (edges{{0, 1, 30}}));
    EXPECT_EQ(edges_of(parse("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n", false).edges),
              (edges{{0, 1}}));
    EXPECT_EQ(edges_of(parse(std::string(pattern) + "2 2 1\n1 2\n", true).edges), (edges{{0, 1, 1}}));
}

TEST(matrix_market, rejects_what_is_malformed) {
    const auto with = [](std::string_view rest) { return complaint(std::string(pattern) + std::string(rest)); };
    EXPECT_EQ(complaint("%%MatrixMarket matrix array real general\n"),
              "file:1: the banner says 'array', known here: coordinate");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate complex general\n"),
              "file:1: the banner says 'complex', known here: pattern, integer, real");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
              "file:1: the banner says 'skew-symmetric', known here: general, symmetric");
    EXPECT_EQ(complaint("%%MatrixMarket matrix\n2 2 1\n"), "file:1: the banner says '', known here: coordinate");
    EXPECT_EQ(complaint("%%MatrixMarketx\n"), "file:1: not Matrix Market: it begins with '%%MatrixMarketx'");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general x\n"), "file:1: 'x' is too much on this line");
    EXPECT_EQ(with(""), "file:1: truncated: the line with rows, columns and entries is missing");
    EXPECT_EQ(with("% c\n"), "file:2: truncated: the line with rows, columns and entries is missing");
    EXPECT_EQ(with("2 2\n"), "file:2: entries: a number is missing");
    EXPECT_EQ(with("2 x 1\n"), "file:2: columns: 'x' is not a whole number");
    EXPECT_EQ(with("-2 2 1\n"), "file:2: rows: '-2' is negative");
    EXPECT_EQ(with("2 2 1 1\n"), "file:2: '1' is too much on this line");
    EXPECT_EQ(with("2 3 1\n1 1\n"), "file:2: not a graph: 2 rows and 3 columns");
    EXPECT_EQ(with("0 0 0\n"), "file:2: the graph has no vertices");
    EXPECT_EQ(with("4000000000 4000000000 0\n"),
              "file:2: 4000000000 vertices are too many for a file of 73 bytes: at most 1049160");
    EXPECT_EQ(with("2 2 9000000000000000000\n1 2\n"), "file:3: truncated: there are 1 of 9000000000000000000 entries");
    EXPECT_EQ(with("2 2 18446744073709551616\n"),
              "file:2: entries: '18446744073709551616' is out of range: 0 to 9223372036854775807");
    EXPECT_EQ(with("2 2 1\n1 2\n2 1\n"), "file:4: one entry too many: this line follows the last of 1 entries");
    EXPECT_EQ(with("2 2 1\n0 2\n"), "file:3: row: '0' is out of range: 1 to 2");
    EXPECT_EQ(with("2 2 1\n1 3\n"), "file:3: column: '3' is out of range: 1 to 2");
    EXPECT_EQ(with("2 2 1\n1\n"), "file:3: column: a number is missing");
    EXPECT_EQ(with("2 2 1\n1 2 5\n"), "file:3: '5' is too much on this line");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n"),
              "file:3: value: '1.5' is not a whole number");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.5\n"),
              "file:3: value: '1.5' is not a whole number of 32 bits");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1e10\n"),
              "file:3: value: '1e10' is not a whole number of 32 bits");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n", false),
              "file:3: value: 'nan' is not a number");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", false),
              "file:3: value: a number is missing");
}

TEST(vertex_limits, grow_with_the_file_and_stop_below_the_number_that_is_none) {
    EXPECT_EQ(vertex_limit(0), 1U << 20U);
    EXPECT_EQ(vertex_limit(1000), (1U << 20U) + 8000U);
    EXPECT_EQ(vertex_limit(UINT32_MAX), graph::no_vertex);
}

} // namespace
} // namespace apps::input
