// SPDX-License-Identifier: Apache-2.0
// The eight programs on files whose results are known, in both variants.
#include "packed.hpp"
#include "program.hpp"
#include "temporary_file.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apps {
namespace {

using testing_support::temporary_file;

struct result {
    std::string printed;
    std::string check;
    std::string problem;
};

/// Runs both variants on a file; they must pass their check and agree.
result run(std::string_view program, std::string_view file, options o = {}) {
    const temporary_file input(file);
    o.input = input.path();
    const apps::program* const p = find_program(program);
    if (p == nullptr) throw std::logic_error("no such program");
    const std::unique_ptr<instance> serial = p->serial(o);
    const std::unique_ptr<instance> parallel = p->parallel(o);
    for (instance* const i : {serial.get(), parallel.get()}) {
        for (int times = 0; times != 2; ++times) {
            i->reset();
            i->run();
            EXPECT_TRUE(i->check().ok) << program << ": " << i->check().text;
        }
    }
    EXPECT_EQ(serial->digest(), parallel->digest());
    return {parallel->print(), parallel->check().text, parallel->problem()};
}

std::string error_of(std::string_view program, std::string_view file, options o = {}) {
    try {
        run(program, file, std::move(o));
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "accepted";
}

const std::vector<std::string_view> all_programs{"ligra-bc", "ligra-bf",  "ligra-bfs",   "ligra-bfsbv",
                                                 "ligra-cc", "ligra-mis", "ligra-radii", "ligra-tc"};

/// A triangle 0 1 2 with a tail 3 4, and the pair 5 6.
constexpr std::string_view small_graph = "0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n2 3\n3 2\n3 4\n4 3\n5 6\n6 5\n";

std::string path_of(std::size_t vertices) {
    std::string text;
    for (std::size_t v = 0; v + 1 < vertices; ++v) text += std::to_string(v) + " " + std::to_string(v + 1) + "\n";
    return text;
}

/// Vertex 0 in the middle; longer than the rows that an edge map leaves in one piece.
std::string star_of(std::size_t leaves) {
    std::string text;
    for (std::size_t v = 1; v <= leaves; ++v) text += "0 " + std::to_string(v) + "\n";
    return text;
}

TEST(ligra, results_on_a_small_graph) {
    EXPECT_EQ(run("bfs", small_graph).printed, "5 of 7 vertices reached, the farthest in 2 steps");
    EXPECT_EQ(run("bfsbv", small_graph).printed, "5 of 7 vertices reached, the farthest in 2 steps");
    EXPECT_EQ(run("cc", small_graph).printed, "2 components");
    EXPECT_EQ(run("tc", small_graph).printed, "1 triangle");
    EXPECT_EQ(run("radii", small_graph).printed, "the largest radius seen is 3");
    EXPECT_EQ(run("bc", small_graph).printed, "from vertex 2, most shortest paths to others lead over vertex 3");
    EXPECT_EQ(run("bf", small_graph).printed, "5 of 7 vertices reached from vertex 2, the farthest at distance 2");
    EXPECT_EQ(run("mis", small_graph).problem.substr(run("mis", small_graph).problem.find(": ")),
              ": 7 vertices, 6 edges");
}

TEST(ligra, every_program_takes_every_shape) {
    const std::vector<std::string> shapes{
        "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n",                  // one vertex
        "%%MatrixMarket matrix coordinate pattern general\n100 100 0\n",              // no edges
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 2\n3 3\n", // loops only
        "0 1\n",
        "1 0\n",
        "0 1\n1 2\n2 0\n", // a directed cycle
        path_of(700),
        star_of(5000),
        std::string(small_graph),
    };
    for (const std::string_view program : all_programs) {
        for (const std::string& shape : shapes) {
            for (const std::size_t granularity : {0U, 1U, 32U}) {
                SCOPED_TRACE(std::string(program) + " on " + shape.substr(0, 60));
                run(program, shape, {.granularity = granularity});
            }
        }
    }
}

TEST(ligra, every_program_says_what_is_wrong_with_a_file) {
    for (const std::string_view program : all_programs) {
        EXPECT_TRUE(
            error_of(program, "AdjacencyGraph\n2\n1\n0\n1\n9\n").ends_with(":6: target: '9' is out of range: 0 to 1"));
    }
}

TEST(ligra, direction_counts_where_it_matters) {
    const std::string one_way = "3 0\n3 1\n3 2\n0 4\n"; // 3 is the hub; nothing leads to it
    EXPECT_EQ(run("bfs", one_way).printed, "5 of 5 vertices reached, the farthest in 2 steps");
    EXPECT_EQ(run("bfs", one_way, {.from = "4"}).printed, "1 of 5 vertices reached, the farthest in 0 steps");
    EXPECT_EQ(run("cc", one_way).printed, "1 component");
}

TEST(ligra, a_path_is_found_by_numbers) {
    const std::string path = path_of(5);
    EXPECT_EQ(run("bfs", path, {.from = "1", .to = "3"}).printed, "2 steps from 1 to 3:\n  1\n  -> 2\n  -> 3");
    EXPECT_EQ(run("bfs", path, {.from = "2", .to = "2"}).printed, "0 steps from 2 to 2:\n  2");
    EXPECT_EQ(run("bfs", path, {.from = "3", .to = "1"}).printed, "no path leads from 3 to 1");
    EXPECT_EQ(run("bfs", path, {.to = "1"}).printed, "1 step from where the search began to 1:\n  0\n  -> 1");
    EXPECT_EQ(error_of("bfs", path, {.from = "5"}), "--from: vertex '5' is out of range: 0 to 4");
    EXPECT_EQ(error_of("bfs", path, {.to = "dog"}), "--to: vertex 'dog' is not a whole number");
}

/// Two who follow each other, one whom all follow, and a pair of whom one is the largest number there is.
constexpr std::string_view followers = "568770231 214328887\n214328887 568770231\n568770231 12\n214328887 12\n"
                                       "4294967296 18446744073709551615\n";

TEST(ligra, vertices_keep_the_names_of_their_file) {
    EXPECT_EQ(run("bfs", followers).printed, "3 of 5 vertices reached, the farthest in 1 step");
    EXPECT_EQ(run("bfs", followers, {.from = "568770231", .to = "12"}).printed,
              "1 step from 568770231 to 12:\n  568770231\n  -> 12");
    EXPECT_EQ(run("bfs", followers, {.to = "568770231"}).printed,
              "1 step from where the search began to 568770231:\n  214328887\n  -> 568770231");
    EXPECT_EQ(run("bfs", followers, {.from = "4294967296", .to = "12"}).printed, "no path leads from 4294967296 to 12");
    EXPECT_EQ(run("bf", followers).printed,
              "3 of 5 vertices reached from vertex 214328887, the farthest at distance 1");
    EXPECT_EQ(run("bc", "7 900000000\n900000000 5\n7 8\n").printed,
              "from vertex 7, most shortest paths to others lead over vertex 900000000");
    EXPECT_EQ(run("cc", followers).printed, "2 components");
    EXPECT_EQ(error_of("bfs", followers, {.from = "0"}), "--from: no edge of the file has the vertex '0'");
    EXPECT_EQ(error_of("bfs", followers, {.to = "18446744073709551614"}),
              "--to: no edge of the file has the vertex '18446744073709551614'");
    EXPECT_EQ(error_of("bfs", followers, {.from = "18446744073709551616"}),
              "--from: vertex '18446744073709551616' is out of range: 0 to 18446744073709551615");
}

TEST(ligra, every_program_takes_any_numbers_and_forms) {
    std::string matrix = "%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 12\n";
    std::string list = "// a list\nfrom;to;weight\n";
    const std::vector<std::pair<int, int>> edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2},
                                                 {2, 3}, {3, 2}, {3, 4}, {4, 3}, {5, 6}, {6, 5}};
    for (const auto& [from, to] : edges) {
        matrix += std::to_string(1 + from * 100'000'003L) + " " + std::to_string(1 + to * 100'000'003L) + " 1.0\n";
        list += std::to_string(from * 3'000'000'007L) + ";" + std::to_string(to * 3'000'000'007L) + ";1\n";
    }
    for (const std::string_view program : all_programs) {
        SCOPED_TRACE(program);
        const std::string dense = run(program, small_graph).printed;
        for (const std::string& sparse :
             {matrix, list, testing_support::packed(matrix), testing_support::packed(list)}) {
            const std::string printed = run(program, sparse).printed;
            // The same words; other numbers only where a vertex is named.
            EXPECT_EQ(printed.substr(0, printed.find("vertex")), dense.substr(0, dense.find("vertex")));
        }
    }
}

TEST(ligra, distances_follow_the_weights) {
    // The way over 1 and 2 is shorter than the direct one, thanks to a negative weight.
    EXPECT_EQ(run("bf", "0 1 4\n1 2 -3\n0 2 2\n2 3 5\n0 4 1\n").printed,
              "5 of 5 vertices reached from vertex 0, the farthest at distance 6");
    EXPECT_EQ(run("bf", "0 1 2147483647\n1 2 2147483647\n0 3 1\n").printed,
              "4 of 4 vertices reached from vertex 0, the farthest at distance 4294967294");
    // A cycle of weight 0 does no harm.
    EXPECT_EQ(run("bf", "0 1 1\n0 2 9\n1 3 -2\n3 1 2\n").printed,
              "4 of 4 vertices reached from vertex 0, the farthest at distance 9");
}

TEST(ligra, a_negative_cycle_has_no_shortest_paths) {
    const std::string_view expected = "no shortest paths: a cycle of negative weight can be reached from vertex 0";
    EXPECT_EQ(run("bf", "0 1 1\n0 2 1\n1 3 1\n3 1 -2\n").printed, expected);
    EXPECT_EQ(run("bf", "0 1 1\n0 2 1\n1 0 -2\n").printed, expected);
    // Many rounds would be needed to notice by their number: a cycle of weight -1 far down, in a large graph.
    std::string large = "0 20000 1\n";
    for (std::size_t v = 0; v != 20'000; ++v) {
        large += std::to_string(v) + " " + std::to_string(v + 1 == 300 ? 200 : v + 1) + (v == 250 ? " -100\n" : " 1\n");
    }
    EXPECT_EQ(run("bf", large).printed, expected);
    // One that cannot be reached is none.
    EXPECT_EQ(run("bf", "0 1 1\n0 2 1\n3 4 1\n4 3 -2\n").printed,
              "3 of 5 vertices reached from vertex 0, the farthest at distance 1");
}

TEST(ligra, both_variants_share_one_graph) {
    const program* const p = find_program("ligra-tc");
    const options o{.size = size::tiny};
    const auto first = p->serial(o);
    const auto second = p->parallel(o);
    EXPECT_EQ(first->problem(), second->problem());
    EXPECT_EQ(first->problem(), "rMat_1K: 1024 vertices, 7726 edges");
}

TEST(ligra, paper_sizes_have_the_papers_granularity) {
    for (const std::string_view name : all_programs) EXPECT_EQ(find_program(name)->info.paper.granularity, 32U);
    const auto smallest = find_program("ligra-mis")->serial({.size = size::paper});
    EXPECT_TRUE(smallest->problem().starts_with("rMat_100K: 131072 vertices, ")) << smallest->problem();
    EXPECT_TRUE(smallest->problem().ends_with(", granularity 32")) << smallest->problem();
}

} // namespace
} // namespace apps
