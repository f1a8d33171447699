// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"
#include "input/numbering.hpp"
#include "program.hpp"
#include "samples.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

namespace apps::input {
namespace {

using testing_support::edges_of;
using testing_support::names_of;
using testing_support::weighted_edge;

using edges = std::vector<weighted_edge>;
using names = std::vector<std::uint64_t>;

/// Parses with blocks of many sizes, of which the smallest put every word into one of its own: all must agree.
parsed_graph parse(std::string_view bytes, bool weights = false) {
    const text t("file", bytes);
    parsed_graph result = parse_graph(t, {.weights = weights});
    for (std::size_t block = 1; block <= bytes.size(); block += 1 + block / 4) {
        const parsed_graph again = parse_graph(t, {.weights = weights, .block_bytes = block});
        EXPECT_EQ(edges_of(again.edges), edges_of(result.edges)) << "blocks of " << block;
        EXPECT_EQ(again.edges.vertices, result.edges.vertices) << "blocks of " << block;
        EXPECT_EQ(names_of(again.edges), names_of(result.edges)) << "blocks of " << block;
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
    EXPECT_EQ(edges_of(parse("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n0.5\n").edges), (edges{{0, 1}}));
    EXPECT_EQ(edges_of(parse("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n-2.0\n", true).edges), (edges{{0, 1, -2}}));
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
    EXPECT_EQ(complaint("WeightedAdjacencyGraph\n2\n1\n0\n1\n1\nx\n", false), "file:7: weight: 'x' is not a number");
}

TEST(adjacency, of_two_errors_the_first_is_reported) {
    EXPECT_EQ(complaint("AdjacencyGraph\n3\n3\n0\n1\n2\nx\n0\ny\n"), "file:7: target: 'x' is not a whole number");
}

TEST(edge_list, is_read) {
    const parsed_graph p = parse("# Directed graph\n# FromNodeId\tToNodeId\n0\t1\r\n\n 5 2\n%\n2 0");
    EXPECT_EQ(p.direction, graph::direction::directed);
    EXPECT_EQ(p.edges.vertices, 4U);
    EXPECT_EQ(edges_of(p.edges), (edges{{0, 1}, {3, 2}, {2, 0}}));
    EXPECT_EQ(names_of(p.edges), (names{0, 1, 2, 5}));
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
    EXPECT_EQ(complaint("0 18446744073709551616\n"),
              "file:1: vertex: '18446744073709551616' is out of range: 0 to 18446744073709551615");
    EXPECT_EQ(complaint("0 4294967296\nx 1\n"), "file:2: vertex: 'x' is not a whole number"); // read a second time
    EXPECT_EQ(complaint("0 1 2 3\n4 5 6\n"), "file:2: time: a number is missing");
    EXPECT_EQ(complaint("0 1 2 yesterday\n"), "file:1: time: 'yesterday' is not a number");
    EXPECT_EQ(complaint("0 1 2 3 4\n"), "file:1: '4' is too much on this line");
    EXPECT_EQ(complaint("0 1 {'weight': 3\n"), "file:1: the attributes do not end on this line");
    EXPECT_EQ(complaint("0 1 {'a': '}\n"), "file:1: the attributes do not end on this line");
    EXPECT_EQ(complaint("0 1 {}\n1 2 {} 7\n"), "file:2: '7' is too much on this line");
    EXPECT_EQ(complaint("0 1 {}\n1 2 {'weight': 'heavy'}\n"), "file:2: weight: ''heavy'' is not a whole number");
    EXPECT_EQ(complaint("0,1\n2,,3\n"), "file:2: vertex: a number is missing");
    EXPECT_EQ(complaint("from,to\nalice,bob\n"), "file:2: vertex: 'alice' is not a whole number");
    EXPECT_EQ(complaint("from,to\n"), "file:1: the file has no edge");
    EXPECT_EQ(complaint("0 1\r1 2\r"), "file:1: vertex: '1\\x0d1' is not a whole number");
    EXPECT_EQ(complaint(std::string_view("\x7f"
                                         "ELF\0\x01 x\n",
                                         9)),
              "file:1: vertex: '\\x7fELF\\x00\\x01' is not a whole number");
    EXPECT_EQ(complaint(std::string(100, 'a') + " 1\n"),
              "file:1: vertex: '" + std::string(40, 'a') + "...' is not a whole number");
}

TEST(edge_list, an_empty_field_is_not_the_end_of_the_line) {
    EXPECT_EQ(complaint("0,1,,garbage\n1,2\n", false), "file:1: weight: a number is missing");
    EXPECT_EQ(complaint("0,1\n2,3,,garbage\n", false), "file:2: 'garbage' is too much on this line");
    EXPECT_EQ(complaint("0,1,2\n2,3,4,,,5\n"), "file:2: '5' is too much on this line");
    EXPECT_EQ(complaint("0;1;2;3\n2;3;4;;\n"), "file:2: time: a number is missing");
    EXPECT_EQ(complaint("0,1,{}\n2,3,,7\n"), "file:2: '7' is too much on this line");
    EXPECT_EQ(edges_of(parse("0,1,,\n1,2, ,# c\n2,0\n").edges), (edges{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(edge_list, a_column_without_a_title_is_refused) {
    const std::string_view reason =
        "file:1: the titles leave out a column; if it is the index, write the table without "
        "it (pandas: index=False, R: row.names=FALSE)";
    for (const std::string_view table : {
             ",source,target\n0,5,7\n1,7,9\n", // pandas
             ",source,target\n0,5\n",
             ";source;target;weight\n0;5;7;1\n",
             "\tsource\ttarget\n0\t5\t7\n",
             "\"\",\"source\",\"target\"\n\"1\",5,7\n", // R's write.csv
             "\"source\",\"target\"\n\"1\",5,7\n",      // R's write.table
             "source\ttarget\n1\t5\t7\n",
         }) {
        EXPECT_EQ(complaint(table, true), reason) << table;
        EXPECT_EQ(complaint(table, false), reason) << table;
    }
    EXPECT_EQ(complaint("# c\n\n,source,target\n# c\n0,5,7\n"), "file:3" + std::string(reason.substr(6)));
    const edges two{{0, 1}, {1, 0}};
    EXPECT_EQ(edges_of(parse("source,target,\n0,1\n1,0\n").edges), two);
    EXPECT_EQ(edges_of(parse("source,target\n0,1,\n1,0,\n").edges), two);
    EXPECT_EQ(edges_of(parse("source,target\n0,1,{}\n1,0,{}\n").edges), two);
    EXPECT_EQ(edges_of(parse("\t0\t1\n\t1\t0\n").edges), two);
}

TEST(edge_list, a_comment_may_touch_what_it_follows) {
    EXPECT_EQ(edges_of(parse("0 1#c\n1 2%c\n2 0//c\n").edges), (edges{{0, 1}, {1, 2}, {2, 0}}));
    EXPECT_EQ(edges_of(parse("0,1,3# c\n1,2,4\n", true).edges), (edges{{0, 1, 3}, {1, 2, 4}}));
    EXPECT_EQ(edges_of(parse("0 1 {'c': '#f//%'}# c\n", true).edges), (edges{{0, 1, 1}}));
    EXPECT_EQ(complaint("0 1/2\n"), "file:1: vertex: '1/2' is not a whole number");
    EXPECT_EQ(complaint("0#1\n"), "file:1: vertex: a number is missing");
}

TEST(edge_list, fields_may_stand_in_double_quotes) {
    EXPECT_EQ(edges_of(parse("\"source, node\",\"target\",\"a # b\"\n\"0\",\"1\",\"3\"\n1,\"2\",-4\n", true).edges),
              (edges{{0, 1, 3}, {1, 2, -4}}));
    EXPECT_EQ(edges_of(parse("\"0\" \"1\"\n\"1\"\t0\n").edges), (edges{{0, 1}, {1, 0}}));
    EXPECT_EQ(edges_of(parse("\"0\",\"1\",\"{'weight': 3}\"\n1,0,\"\"\n", true).edges), (edges{{0, 1, 3}, {1, 0, 1}}));
    EXPECT_EQ(complaint("\"0\",\"\"\n"), "file:1: vertex: a number is missing");
    EXPECT_EQ(complaint("\"0\",\"1,2\n"), "file:1: vertex: '\"1' is not a whole number");
    EXPECT_EQ(complaint("\"0\"1,2\n"), "file:1: vertex: '\"0\"1' is not a whole number");
    EXPECT_EQ(complaint("\"\n"), "file:1: vertex: '\"' is not a whole number");
}

TEST(edge_list, a_weight_may_be_shown_as_numpy_shows_it) {
    EXPECT_EQ(edges_of(parse("0 1 {'weight': np.float64(3.0)}\n1 0 {'a': 1, 'weight': np.int64(-2)}\n", true).edges),
              (edges{{0, 1, 3}, {1, 0, -2}}));
    EXPECT_EQ(complaint("0 1 {'weight': np.float64(0.5)}\n"), "file:1: weight: '0.5' is not a whole number");
    EXPECT_EQ(complaint("0 1 {'weight': np.float64()}\n"), "file:1: weight: a number is missing");
    EXPECT_EQ(complaint("0 1 {'weight': np.True_}\n"), "file:1: weight: 'np.True_' is not a whole number");
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
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate double general\n"),
              "file:1: the banner says 'double', known here: pattern, integer, real, complex");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real crooked\n"),
              "file:1: the banner says 'crooked', known here: general, symmetric, skew-symmetric, hermitian");
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
    EXPECT_EQ(with("4000000000 4000000000 0\n"), "file:2: the file has no edge");
    EXPECT_EQ(with("4000000000 4000000000 1\n1 4000000001\n"),
              "file:3: column: '4000000001' is out of range: 1 to 4000000000");
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
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 nan\n"),
              "file:3: value: 'nan' is not a number");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 x\n", false),
              "file:3: value: 'x' is not a number");
    EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", false),
              "file:3: value: a number is missing");
}

TEST(matrix_market, what_makes_no_weights_has_edges) {
    const std::string coordinate = "%%MatrixMarket matrix coordinate ";
    for (const std::string_view kind : {"complex general", "complex symmetric", "complex hermitian"}) {
        const std::string matrix = coordinate + std::string(kind) + "\n3 3 2\n2 1 1.5 0\n3 2 -1 nan\n";
        const parsed_graph p = parse(matrix);
        EXPECT_EQ(edges_of(p.edges), (edges{{1, 0}, {2, 1}}));
        EXPECT_EQ(p.direction, kind == "complex general" ? graph::direction::directed : graph::direction::undirected);
        EXPECT_EQ(complaint(matrix),
                  "file:1: the banner says 'complex', which makes no weights; only a program without "
                  "weights reads it");
    }
    for (const std::string_view kind : {"real skew-symmetric", "INTEGER Skew-Symmetric"}) {
        const std::string matrix = coordinate + std::string(kind) + "\n3 3 2\n2 1 1\n3 2 -1\n";
        const parsed_graph p = parse(matrix);
        EXPECT_EQ(edges_of(p.edges), (edges{{1, 0}, {2, 1}}));
        EXPECT_EQ(p.direction, graph::direction::undirected);
        EXPECT_EQ(complaint(matrix), "file:1: the banner says 'skew-symmetric', which makes no weights; only a program "
                                     "without weights reads it");
    }
    EXPECT_EQ(complaint(coordinate + "complex general\n2 2 1\n1 2 3\n", false), "file:3: value: a number is missing");
    EXPECT_EQ(complaint(coordinate + "complex general\n2 2 1\n1 2 3 4 5\n", false),
              "file:3: '5' is too much on this line");
}

TEST(edge_list, a_weight_that_nobody_wants_is_any_number) {
    for (const std::string_view weight : {"0.5", "+1", "1e300", "1e999", "nan", "inf", "99999999999"}) {
        EXPECT_EQ(edges_of(parse("0 1 " + std::string(weight) + "\n").edges), (edges{{0, 1}})) << weight;
    }
    EXPECT_EQ(complaint("0 1 x\n", false), "file:1: weight: 'x' is not a number");
    EXPECT_EQ(complaint("0 1 2\n2 3\n", false), "file:2: weight: a number is missing");
}

TEST(edge_list, a_weight_that_is_wanted_is_a_whole_number) {
    EXPECT_EQ(edges_of(parse("0 1 3.0\n1 2 -1e3\n2 0 +7\n", true).edges), (edges{{0, 1, 3}, {1, 2, -1000}, {2, 0, 7}}));
    EXPECT_EQ(complaint("0 1 1\n0 1 0.5\n"), "file:2: weight: '0.5' is not a whole number");
    EXPECT_EQ(complaint("0 1 1\n0 1 nan\n"), "file:2: weight: 'nan' is not a whole number");
    EXPECT_EQ(complaint("0 1 1\n0 1 inf\n"), "file:2: weight: 'inf' is out of range: -2147483648 to 2147483647");
    EXPECT_EQ(complaint("0 1 1\n0 1 1e10\n"), "file:2: weight: '1e10' is out of range: -2147483648 to 2147483647");
    EXPECT_EQ(complaint("0;1;0,5\n"), "file:1: weight: '0,5' is not a whole number");
    EXPECT_EQ(complaint("0 1 0,5\n"), "file:1: weight: '0,5' is not a whole number");
}

TEST(edge_list, takes_what_other_programs_write) {
    const edges triangle{{0, 1}, {1, 2}, {2, 0}};
    const edges weighted{{0, 1, 3}, {1, 2, 1}, {2, 0, -4}};
    // networkx
    EXPECT_EQ(edges_of(parse("0 1 {}\n1 2 {}\n2 0 {}\n").edges), triangle);
    const std::string_view networkx =
        "#/usr/bin/x.py\n# GMT Sat\n#  \n0 1 {'weight': 3}\n1 2 {'tags': ['a}', {'weight': 9}]}\n"
        "2 0 {\"it's\": 'say \\'}\\'', \"weight\": -4.0 , 'b': (1, 2)}\n";
    EXPECT_EQ(edges_of(parse(networkx, true).edges), weighted);
    EXPECT_EQ(edges_of(parse(networkx).edges), triangle);
    EXPECT_EQ(edges_of(parse("0,1,{'weight': 3}\n1,2,{}\n2,0,{'c': 1, 'weight': -4}\n", true).edges), weighted);
    EXPECT_EQ(edges_of(parse("0 1 {'weight': 0.5}\n").edges), (edges{{0, 1}}));
    // KONECT
    const parsed_graph konect =
        parse("% asym positive\n% 3 3 3\n1 2 3 1082040961 \n2 3 1 1082040961\n3 1 -4\t1.5e9\n", true);
    EXPECT_EQ(edges_of(konect.edges), weighted);
    EXPECT_EQ(names_of(konect.edges), (names{1, 2, 3}));
    // Tables: with titles and without, and with an end that says nothing.
    EXPECT_EQ(edges_of(parse("source,target,weight\n0,1,3\n1, 2 ,1\n2\t,\t0,-4\n", true).edges), weighted);
    EXPECT_EQ(edges_of(parse("\"a\";\"b\"\r\n0;1\r\n1;2;\r\n2 ; 0\r\n").edges), triangle);
    EXPECT_EQ(edges_of(parse("0,1,3,7.5\n1,2,1,7\n2,0,-4,8", true).edges), weighted);
    EXPECT_EQ(edges_of(parse("Source\tTarget\n0\t1\n1\t2\n2\t0\n").edges), triangle);
    EXPECT_EQ(complaint("Source Target\n0 1\n"), "file:1: vertex: 'Source' is not a whole number");
    // Comments of all three kinds, also behind an edge.
    EXPECT_EQ(edges_of(parse("// a\n0 1 # b\n%c\n1 2 //d\n  // e\n2 0 %\n").edges), (edges{{0, 1}, {1, 2}, {2, 0}}));
}

TEST(edge_list, vertices_are_the_numbers_that_it_has) {
    const parsed_graph follows = parse("214328887 34428380\n17116707 28465635\n34428380 568770231\n");
    EXPECT_EQ(follows.edges.vertices, 5U);
    EXPECT_EQ(names_of(follows.edges), (names{17116707, 28465635, 34428380, 214328887, 568770231}));
    EXPECT_EQ(edges_of(follows.edges), (edges{{3, 2}, {0, 1}, {2, 4}}));
    const parsed_graph largest = parse("18446744073709551615 0\n4294967296 4294967295\n0 0\n");
    EXPECT_EQ(names_of(largest.edges), (names{0, 4294967295, 4294967296, 18446744073709551615U}));
    EXPECT_EQ(edges_of(largest.edges), (edges{{3, 0}, {2, 1}, {0, 0}}));
    EXPECT_EQ(names_of(parse("0 4294967295\n").edges), (names{0, 4294967295}));
    EXPECT_TRUE(names_of(parse("3 1\n2 0\n0 1\n0 1\n").edges).empty()); // each up to the largest: they stay
    EXPECT_EQ(names_of(parse("3 1\n2 1\n").edges), (names{1, 2, 3}));
}

TEST(matrix_market, of_too_many_rows_those_with_an_entry_are_vertices) {
    for (const std::string_view rows : {"1000000000", "9223372036854775807"}) {
        const std::string size = std::string(rows) + " " + std::string(rows) + " 3\n";
        const parsed_graph p = parse(
            "%%matrixmarket matrix coordinate integer symmetric\n" + size + "5 1 2\n1000000000 5 4\n7 7 1\n", true);
        EXPECT_EQ(p.direction, graph::direction::undirected);
        EXPECT_EQ(names_of(p.edges), (names{0, 4, 6, 999999999}));
        EXPECT_EQ(edges_of(p.edges), (edges{{1, 0, 2}, {3, 1, 4}, {2, 2, 1}}));
    }
    EXPECT_EQ(parse(std::string(pattern) + "1048577 1048577 1\n1 2\n").edges.vertices, 1048577U);
}

TEST(row_limits, grow_with_the_entries_and_stop_below_the_number_that_is_none) {
    EXPECT_EQ(row_limit(0), 1U << 20U);
    EXPECT_EQ(row_limit(1000), (1U << 20U) + 8000U);
    EXPECT_EQ(row_limit(UINT32_MAX), graph::no_vertex);
    EXPECT_EQ(row_limit(UINT64_MAX), graph::no_vertex);
}

TEST(numbering, refuses_more_vertices_than_have_a_number) {
    const text t("file", "0 1\n");
    const auto complaint_about = [&](const std::function<void()>& number) {
        try {
            number();
        } catch (const input_error& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    const auto edges_to = [](graph::vertex last) { return testing_support::make_edges(0, {{0, 1}, {2, last}}); };
    for (const graph::vertex last : {graph::vertex{3}, graph::vertex{5}, graph::no_vertex}) {
        graph::edge_list e = edges_to(last);
        EXPECT_EQ(complaint_about([&] { number_vertices(t, e, 3); }),
                  "file:1: 4 different vertices are too many: at most 3");
        graph::edge_list small = edges_to(last);
        EXPECT_EQ(complaint_about([&] { number_vertices(t, small, 4); }), "accepted");
    }
}

} // namespace
} // namespace apps::input
