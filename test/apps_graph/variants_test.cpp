// SPDX-License-Identifier: Apache-2.0
// What a text may be packed in and marked with, and one graph in every form that files have.
#include "input/formats.hpp"
#include "input/gzip.hpp"
#include "packed.hpp"
#include "program.hpp"
#include "samples.hpp"
#include "temporary_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace apps::input {
namespace {

using testing_support::packed;
using testing_support::temporary_file;

std::string complaint(const std::function<void()>& f) {
    try {
        f();
    } catch (const input_error& e) {
        return e.what();
    }
    return "accepted";
}

std::string opened(std::string_view bytes) { return std::string(text("file", bytes).bytes()); }

std::string complaint_at(std::string_view bytes) {
    return complaint([&] { opened(bytes); });
}

TEST(text, is_unpacked_whatever_its_file_is_called) {
    const temporary_file file(packed("0 1\n1 x\n"));
    EXPECT_EQ(text(file.path()).bytes(), "0 1\n1 x\n");
    EXPECT_EQ(complaint([&] { parse_graph(text(file.path()), {}); }),
              file.path() + ":2: vertex: 'x' is not a whole number");
    const temporary_file empty(packed(""));
    EXPECT_EQ(complaint([&] { text{empty.path()}; }), empty.path() + ":1: the file is empty");
}

TEST(text, is_unpacked_from_several_members_and_padding) {
    std::string large;
    for (int i = 0; i != 100'000; ++i) large += std::to_string(i * 7919 % 100'003) + "\n";
    EXPECT_EQ(opened(packed(large)), large);
    EXPECT_EQ(opened(packed("one ") + packed("") + packed(large) + packed("two") + std::string(512, '\0')),
              "one " + large + "two");
}

TEST(text, says_what_is_wrong_with_packed_bytes) {
    const std::string whole = packed("0 1\n1 2\n2 3\n");
    for (std::size_t size = 2; size != whole.size(); ++size)
        EXPECT_EQ(complaint_at(whole.substr(0, size)), "file: truncated: the packed bytes end early") << size;
    EXPECT_EQ(complaint_at(packed("0 1\n") + whole.substr(0, 12)), "file: truncated: the packed bytes end early");
    std::string damaged = whole;
    damaged[damaged.size() - 8] ^= 1; // of the check sum
    EXPECT_EQ(complaint_at(damaged), "file: the packed bytes are damaged: incorrect data check");
    damaged = whole;
    damaged[2] = 7; // the method
    EXPECT_EQ(complaint_at(damaged), "file: the packed bytes are damaged: unknown compression method");
    EXPECT_EQ(complaint_at(whole + "0 1\n"), "file: the packed bytes are damaged: others follow their end");
}

TEST(text, is_no_larger_than_memory_allows) {
    const std::string zeros(1'000'000, '0');
    const std::string few = packed(zeros);
    EXPECT_LT(few.size(), 10'000U);
    const auto unpack = [&](std::uint64_t most) { return complaint([&] { unpack_gzip("file", few, most); }); };
    EXPECT_EQ(unpack(zeros.size()), "accepted");
    EXPECT_EQ(unpack(zeros.size() - 1),
              "file: unpacked it is larger than 999999 bytes, too much for the memory here; unpack it with gunzip, and "
              "give the plain file");
    EXPECT_EQ(unpack(0),
              "file: unpacked it is larger than 0 bytes, too much for the memory here; unpack it with gunzip, "
              "and give the plain file");
    EXPECT_GT(memory_for_text(), zeros.size());
}

TEST(text, may_begin_with_a_byte_order_mark) {
    const std::string mark = "\xef\xbb\xbf";
    EXPECT_EQ(opened(mark + "0 1\n"), "0 1\n");
    EXPECT_EQ(opened(packed(mark + "0 1\n")), "0 1\n");
    EXPECT_EQ(opened(mark + mark), mark); // one
    for (const std::string_view graph : {"0 1\n", "# c\n0 1\n", "AdjacencyGraph\n2\n1\n0\n1\n1\n",
                                         "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"}) {
        const std::string marked = mark + std::string(graph);
        EXPECT_EQ(parse_graph(text("file", marked), {}).edges.vertices, 2U) << graph;
    }
    const temporary_file only(mark);
    EXPECT_EQ(complaint([&] { text{only.path()}; }), only.path() + ":1: the file is empty");
}

TEST(text, says_what_it_is_instead) {
    using namespace std::string_literals;
    for (const std::string& wide :
         {"\xff\xfe\x30\0"s, "\xfe\xff\0\x30"s, "0\0 \0"s + "1\0\n\0"s, "\0#\0 \0a"s, "\xff\xfe"s})
        EXPECT_EQ(complaint_at(wide), "file: the text is UTF-16; convert it to UTF-8 first, as iconv does");
    for (const std::string& wider : {"\xff\xfe\0\0\x30\0\0\0"s, "\0\0\xfe\xff\0\0\0\x30"s, "0\0\0\0"s + "1\0\0\0"s,
                                     "\0\0\0"s + "0\0\0\0"s + "\n"s})
        EXPECT_EQ(complaint_at(wider), "file: the text is UTF-32; convert it to UTF-8 first, as iconv does");
    EXPECT_EQ(complaint_at(packed("\xff\xfe\x30\0"s)),
              "file: the text is UTF-16; convert it to UTF-8 first, as iconv does");
    for (const auto& [bytes, name] : {std::pair{"BZh91AY", "bzip2"},
                                      std::pair{"\xfd"
                                                "7zXZ",
                                                "xz"},
                                      std::pair{"\x28\xb5\x2f\xfd", "zstd"}, std::pair{"\x04\x22\x4d\x18", "lz4"},
                                      std::pair{"\x1f\x9d\x90", "compress"}, std::pair{"PK\x03\x04", "zip"},
                                      std::pair{"7z\xbc\xaf\x27\x1c", "7-Zip"}}) {
        EXPECT_EQ(complaint_at(bytes),
                  "file: packed by "s + name + "; unpack it first: only what gzip packs is read as it is");
    }
    const std::string archive = "graph.mtx"s + std::string(248, '\0') + "ustar  ";
    EXPECT_EQ(complaint_at(archive), "file: a tar archive; unpack it, and give one file of it");
    EXPECT_EQ(complaint_at(packed(archive)), "file: a tar archive; unpack it, and give one file of it");
}

/// A graph as a file names its parts.
struct named_edge {
    std::uint64_t from;
    std::uint64_t to;
    std::int32_t weight;

    friend bool operator==(const named_edge&, const named_edge&) = default;
    friend std::ostream& operator<<(std::ostream& out, const named_edge& e) {
        return out << e.from << "->" << e.to << ":" << e.weight;
    }
};

std::vector<named_edge> named_edges(const graph::edge_list& e) {
    std::vector<named_edge> all;
    const auto name = [&](graph::vertex v) { return e.names.empty() ? v : e.names[v]; };
    for (std::size_t i = 0; i != e.size(); ++i)
        all.push_back({name(e.from[i]), name(e.to[i]), e.weights.empty() ? 0 : e.weights[i]});
    return all;
}

/// Ends among few names, which are small, as those of real files, or as large as there are.
std::vector<named_edge> any_edges() {
    constexpr std::uint64_t smallest = 50;
    constexpr std::uint64_t real = 600'000'000;
    const std::uint64_t largest = *rc::gen::element(smallest, real, std::uint64_t{INT64_MAX} - 1);
    const auto names = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint64_t>>(rc::gen::map<std::uint64_t>(
        [largest](std::uint64_t x) { return x * 0x9e37'79b9'7f4a'7c15U % (largest + 1); })));
    return *rc::gen::nonEmpty(rc::gen::container<std::vector<named_edge>>(rc::gen::construct<named_edge>(
        rc::gen::elementOf(names), rc::gen::elementOf(names), rc::gen::arbitrary<std::int32_t>())));
}

/// The mark, the line ends, the comments, the packing: what may differ in any text of lines.
std::string dressed(const std::vector<std::string>& lines, std::string_view comment) {
    const bool dos = *rc::gen::arbitrary<bool>();
    const std::string end = std::string(*rc::gen::element("", " ", "\t ")) + (dos ? "\r\n" : "\n");
    std::string all = *rc::gen::element("", "\xef\xbb\xbf");
    for (std::size_t i = 0; i != lines.size(); ++i) {
        // Not before the first line, which a banner may be.
        if (i != 0 && *rc::gen::inRange(0, 4) == 0)
            all.append(comment).append(comment.empty() ? "" : " 1 2 3").append(end);
        all.append(lines[i]).append(end);
    }
    if (*rc::gen::arbitrary<bool>()) all.resize(all.size() - end.size());
    if (!*rc::gen::arbitrary<bool>()) return all;
    const auto half = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(all.size())));
    return *rc::gen::arbitrary<bool>() ? packed(all) : packed(all.substr(0, half)) + packed(all.substr(half));
}

/// Reads the text, with weights and without, and demands these edges.
void expect_edges(const std::string& bytes, std::vector<named_edge> edges, bool weighted) {
    const text t("file", bytes);
    const auto block = static_cast<std::size_t>(*rc::gen::inRange(1, 100));
    for (named_edge& e : edges) e.weight = weighted ? e.weight : 1;
    RC_ASSERT(named_edges(parse_graph(t, {.weights = true, .block_bytes = block}).edges) == edges);
    for (named_edge& e : edges) e.weight = 0;
    RC_ASSERT(named_edges(parse_graph(t, {.block_bytes = block}).edges) == edges);
}

RC_GTEST_PROP(variants, of_an_edge_list_are_the_same_graph, ()) {
    enum : int { ends, weights, times, attributes };
    const std::vector<named_edge> edges = any_edges();
    const int columns = *rc::gen::element<int>(ends, weights, times, attributes);
    const std::string separator = *rc::gen::element(" ", "\t", "  ", ",", ";", ", ", " ;\t");
    const std::string comment = *rc::gen::element("#", "%", "//", "");
    std::vector<std::string> lines;
    if (separator.find_first_of(",;") != std::string::npos && *rc::gen::arbitrary<bool>()) {
        lines.push_back("source" + separator + "target");
        if (columns == weights || columns == times) lines.back() += separator + "\"weight" + separator + "\"";
        if (columns == times) lines.back() += separator + "time";
    }
    const std::string quote = *rc::gen::element("", "\"");
    const auto number = [&](auto x) { return quote + std::to_string(x) + quote; };
    for (const named_edge& e : edges) {
        std::string line = number(e.from) + separator + number(e.to);
        if (columns == weights || columns == times) line += separator + number(e.weight);
        if (columns == times) line += separator + number(1082040961);
        if (columns == attributes)
            line += separator + *rc::gen::element("{", "{'colour': \"{red\", ", "{'at': (1, [2]), ") +
                    "'weight': " + std::to_string(e.weight) + *rc::gen::element("}", ".0}", ", 'n': None}");
        lines.push_back(line);
    }
    expect_edges(dressed(lines, comment), edges, columns != ends);

    std::set<std::uint64_t> names;
    for (const named_edge& e : edges) names.insert({e.from, e.to});
    const parsed_graph p = parse_graph(text("file", dressed(lines, comment)), {});
    RC_ASSERT(p.edges.vertices == names.size());
    RC_ASSERT((p.edges.names.empty() ? *names.rbegin() + 1 == names.size() : std::ranges::equal(p.edges.names, names)));
}

RC_GTEST_PROP(variants, of_a_matrix_are_the_same_graph, ()) {
    const std::vector<named_edge> edges = any_edges();
    const std::string field = *rc::gen::element("pattern", "integer", "real");
    std::uint64_t rows = 0;
    for (const named_edge& e : edges) rows = std::max({rows, e.from + 1, e.to + 1});
    std::vector<std::string> lines{"%%MatrixMarket matrix coordinate " + field + " general",
                                   std::to_string(rows) + " " + std::to_string(rows) + " " +
                                       std::to_string(edges.size())};
    for (const named_edge& e : edges) {
        lines.push_back(std::to_string(e.from + 1) + *rc::gen::element(" ", "\t") + std::to_string(e.to + 1));
        if (field != "pattern") lines.back() += " " + std::to_string(e.weight);
        if (field == "real") lines.back() += *rc::gen::element("", ".0", "e0");
    }
    expect_edges(dressed(lines, "%"), edges, field != "pattern");
}

RC_GTEST_PROP(variants, of_the_adjacency_form_are_the_same_graph, (bool weighted)) {
    constexpr std::size_t vertices = 9;
    std::vector<named_edge> edges = *rc::gen::container<std::vector<named_edge>>(rc::gen::construct<named_edge>(
        rc::gen::inRange<std::uint64_t>(0, vertices), rc::gen::inRange<std::uint64_t>(0, vertices),
        rc::gen::arbitrary<std::int32_t>()));
    std::ranges::sort(edges, {}, &named_edge::from);
    std::vector<std::string> lines{weighted ? "WeightedAdjacencyGraph" : "AdjacencyGraph", std::to_string(vertices),
                                   std::to_string(edges.size())};
    for (std::uint64_t v = 0; v != vertices; ++v)
        lines.push_back(std::to_string(std::ranges::lower_bound(edges, v, {}, &named_edge::from) - edges.begin()));
    for (const named_edge& e : edges) lines.push_back(std::to_string(e.to));
    for (const named_edge& e : edges) {
        if (weighted) lines.push_back(std::to_string(e.weight));
    }
    expect_edges(dressed(lines, ""), edges, weighted);
}

} // namespace
} // namespace apps::input
