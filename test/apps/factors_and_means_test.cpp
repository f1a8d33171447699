// SPDX-License-Identifier: Apache-2.0
// What sparselu and jacobi promise beside what every program does, and what they read.
#include "graph/csr.hpp"
#include "input/picture.hpp"
#include "program.hpp"
#include "sparselu/matrix.hpp"
#include "support/cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <skerry/runtime.hpp>

namespace {

using apps::instance;
using apps::input::picture;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<instance> done(const char* program, const apps::options& o) {
    auto made = apps::find_program(program)->serial(o);
    made->reset();
    made->run();
    return made;
}

std::string temporary(const char* name) {
    return testing::TempDir() + "skerry_" + name + "_" + std::to_string(::getpid());
}

// The number that the benchmark's own count gives for its pattern.
TEST(sparselu, has_the_tasks_of_its_pattern_at_paper_size) {
    apps::options o;
    o.size = apps::size::paper;
    o.granularity = 1;
    EXPECT_THAT(apps::find_program("sparselu")->serial(o)->problem(), HasSubstr("84 x 84 blocks of 1, 53018 tasks"));
}

// No fused operation, and one order for each element: one result everywhere.
TEST(sparselu, factors_are_the_same_bits_everywhere) {
    apps::options o;
    o.size = apps::size::tiny;
    EXPECT_EQ(done("sparselu", o)->digest(), 0xc530198de29eac56U);
}

TEST(sparselu, factors_the_laplacian_of_a_part_of_a_graph) {
    const std::string path = temporary("ring");
    std::ofstream file(path);
    for (int i = 0; i < 100; ++i) file << i << ' ' << (i + 1) % 100 << '\n' << i << ' ' << (i + 7) % 100 << '\n';
    file.close();
    apps::options o;
    o.size = apps::size::tiny;
    o.input = path;
    const auto made = done("sparselu", o); // 48 of the vertices
    EXPECT_TRUE(made->check().ok) << made->check().text;
    made->corrupt();
    EXPECT_THAT(made->check().text, HasSubstr("of L U x is not that of A x"));
    o.granularity = 20;
    EXPECT_THAT([&] { apps::find_program("sparselu")->serial(o); },
                ThrowsMessage<apps::input_error>(path +
                                                 ": a matrix of 6 x 6 blocks of 20 needs 120 vertices, the graph "
                                                 "has 100"));
    std::filesystem::remove(path);
}

TEST(sparselu, a_graph_in_pieces_is_taken_piece_by_piece) {
    apps::graph::edge_list edges;
    edges.vertices = 6; // 0 alone; 1, 2, 5 and 3, 4
    edges.from = apps::graph::buffer<apps::graph::vertex>(3, 0);
    edges.to = apps::graph::buffer<apps::graph::vertex>(3, 0);
    edges.from[0] = 1, edges.to[0] = 2;
    edges.from[1] = 1, edges.to[1] = 5;
    edges.from[2] = 3, edges.to[2] = 4;
    const auto g = apps::graph::build(edges, apps::graph::direction::undirected);
    const apps::sparselu::matrix a(5, 1, g, "g"); // in the order 1, 2, 5, 0, 3; 4 is left out
    const auto at = [&](std::size_t i, std::size_t j) {
        double value = 0;
        a.fill(i, j, {&value, 1});
        EXPECT_EQ(a.has(i, j), value != 0.0);
        return value;
    };
    EXPECT_EQ(at(0, 0), 3.0);
    EXPECT_EQ(at(0, 1), -1.0);
    EXPECT_EQ(at(2, 0), -1.0);
    EXPECT_EQ(at(1, 2), 0.0);
    EXPECT_EQ(at(3, 3), 1.0);
    EXPECT_EQ(at(4, 4), 1.0) << "its neighbour is not in the part";
}

TEST(jacobi, values_do_not_depend_on_the_strips) {
    apps::options o;
    o.size = apps::size::tiny;
    o.input = "generated";
    const auto expected = done("jacobi", o)->digest();
    EXPECT_EQ(expected, 0x642e5ca1c4732cdcU);
    for (const std::size_t height : {1U, 5U, 22U, 1000U}) {
        o.granularity = height;
        const auto other = done("jacobi", o);
        EXPECT_EQ(other->digest(), expected) << height;
        EXPECT_TRUE(other->check().ok) << other->check().text;
    }
    const auto made = done("jacobi", o);
    made->corrupt();
    EXPECT_THAT(made->check().text, HasSubstr(" in place of "));
}

TEST(jacobi, takes_a_photograph) {
    const std::string path = temporary("photograph");
    std::ofstream(path) << "P6 # two by one\n2 1\n255\n" << std::string("\1\2\3\377\377\377");
    const picture p(apps::input::text{path});
    EXPECT_EQ(p.width(), 2U);
    EXPECT_EQ(p.height(), 1U);
    EXPECT_THAT(p.pixel(0, 0), testing::ElementsAre(1, 2, 3));
    EXPECT_THAT(p.pixel(0, 1), testing::ElementsAre(255, 255, 255));
    apps::options o;
    o.size = apps::size::tiny;
    o.input = path;
    EXPECT_TRUE(done("jacobi", o)->check().ok);
    std::filesystem::remove(path);
    EXPECT_THAT([&] { done("jacobi", o); }, ThrowsMessage<apps::input_error>(HasSubstr(path)));
    o.input = "flower";
    const std::string cache = std::getenv("XDG_CACHE_HOME") == nullptr ? "" : std::getenv("XDG_CACHE_HOME");
    ::setenv("XDG_CACHE_HOME", "/nowhere", 1);
    EXPECT_THAT([&] { done("jacobi", o); }, ThrowsMessage<apps::input_missing>(
                                                "/nowhere/skerry/photographs/flower.ppm: not found; 'tools/setup run' "
                                                "fetches the photographs, --input names a PPM of your own"));
    cache.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
}

TEST(jacobi, says_what_is_wrong_with_a_photograph) {
    const auto refused = [](const std::string& bytes, const std::string& says) {
        EXPECT_THAT([&] { picture(apps::input::text("p.ppm", bytes)); }, ThrowsMessage<apps::input_error>(says))
            << bytes;
    };
    refused("P3\n1 1\n255\n0 0 0", "p.ppm:1: a PPM begins with P6, this with 'P3'");
    refused("", "p.ppm:1: a PPM begins with P6, this with ''");
    refused("P6\n0 1\n255\n", "p.ppm:2: width: '0' is out of range: 1 to 1048576");
    refused("P6\n1 x\n255\n", "p.ppm:2: height: 'x' is not a whole number");
    refused("P6\n1 1\n", "p.ppm:2: brightest value: a number is missing");
    refused("P6\n1 1\n65535\n", "p.ppm:3: brightest value: '65535' is out of range: 255 to 255");
    refused("P6\n2 2\n255\nabc", "p.ppm:3: 2 x 2 pixels are 12 bytes, here are 3");
}

} // namespace
