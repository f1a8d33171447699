// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"
#include "input/lines.hpp"
#include "input/numbering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace apps::input {
namespace {

using graph::vertex;
using graph::weight;

constexpr std::string_view banner = "%%MatrixMarket";

enum class field : unsigned char { pattern, integer, real, complex };

struct header {
    apps::input::field field = field::pattern;
    graph::direction direction = graph::direction::directed;
    std::uint64_t vertices = 0;
    std::uint64_t entries = 0;
    std::size_t size_line = 0; ///< where the line with the sizes begins
    std::size_t end = 0;       ///< where the entries begin
};

bool same_word(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

/// Which of the choices the next word of the banner is.
template <std::size_t N>
std::size_t choose(const text& t, cursor& c, const std::array<std::string_view, N>& choices) {
    const std::string_view word = c.word_of_line();
    std::string known;
    for (std::size_t i = 0; i != N; ++i) {
        if (same_word(word, choices[i])) return i;
        known += (i == 0 ? "" : ", ") + std::string(choices[i]);
    }
    t.fail(c.offset_of(word), "the banner says " + quoted(word) + ", known here: " + known);
}

constexpr std::array<std::string_view, 4> fields{"pattern", "integer", "real", "complex"};
constexpr std::array<std::string_view, 4> symmetries{"general", "symmetric", "skew-symmetric", "hermitian"};
constexpr std::size_t plain_symmetries = 2; ///< those of a graph whose edges weigh the same both ways

std::uint64_t read_size(const text& t, cursor& c, const char* what) {
    const std::string_view word = c.word_of_line();
    std::uint64_t value = 0;
    const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (!read_number(word, most, value)) {
        t.fail(c.offset_of(word), std::string(what) + ": " + why_no_number(word, 0, most));
    }
    return value;
}

header read_header(const text& t, bool weights) {
    cursor c(t.bytes(), {0, t.bytes().size()});
    header h;
    const std::string_view first = c.word_of_line();
    if (!same_word(first, banner)) t.fail(0, "not Matrix Market: it begins with " + quoted(first));
    choose<1>(t, c, {"matrix"});
    choose<1>(t, c, {"coordinate"});
    h.field = static_cast<field>(choose(t, c, fields));
    const std::size_t symmetry = choose(t, c, symmetries);
    if (weights && (h.field == field::complex || symmetry >= plain_symmetries)) {
        const std::string_view word = h.field == field::complex ? fields.back() : symmetries.at(symmetry);
        t.fail(0,
               "the banner says " + quoted(word) + ", which makes no weights; only a program without weights reads it");
    }
    h.direction = symmetry == 0 ? graph::direction::directed : graph::direction::undirected;
    if (const flaw f = nothing_left(c)) t.fail(f.offset, f.reason);
    do {
        c.next_line();
        if (c.at_end()) t.fail(t.bytes().size(), "truncated: the line with rows, columns and entries is missing");
    } while (!states_entry(c));

    h.size_line = c.at();
    h.vertices = read_size(t, c, "rows");
    const std::uint64_t columns = read_size(t, c, "columns");
    h.entries = read_size(t, c, "entries");
    if (const flaw f = nothing_left(c)) t.fail(f.offset, f.reason);
    if (h.vertices != columns) {
        t.fail(h.size_line,
               "not a graph: " + std::to_string(h.vertices) + " rows and " + std::to_string(columns) + " columns");
    }
    if (h.vertices == 0) t.fail(h.size_line, "the graph has no vertices");
    c.next_line();
    h.end = c.at();
    return h;
}

std::size_t values_of(field kind) {
    if (kind == field::pattern) return 0;
    return kind == field::complex ? 2 : 1;
}

/// Why the word is no value of its kind; empty if it is one.
std::string read_value(std::string_view word, field kind, bool wanted, weight& value) {
    double x = 0;
    if (kind == field::integer || !wanted || word.empty()) return take_weight(word, wanted, value);
    if (!read_real(word, x) || std::isnan(x)) return quoted(word) + " is not a number";
    if (!take_weight(word, wanted, value).empty()) return quoted(word) + " is not a whole number of 32 bits";
    return {};
}

/// Reads all entries. Their vertices count from 0.
template <class Id>
void read_entries(const text& t, const header& h, const entry_lines& lines, graph::buffer<Id>& from,
                  graph::buffer<Id>& to, graph::buffer<weight>& weights) {
    const bool wanted = !weights.empty();
    parse_blocks(t, lines.blocks(), [&](std::size_t b) {
        return lines.each(b, [&](std::size_t i, cursor& c) -> flaw {
            for (graph::buffer<Id>* const end : {&from, &to}) {
                const char* const what = end == &from ? "row: " : "column: ";
                const std::string_view word = c.word_of_line();
                std::uint64_t value = 0;
                if (!read_number(word, h.vertices, value) || value == 0)
                    return {c.offset_of(word), what + why_no_number(word, 1, h.vertices)};
                (*end)[i] = static_cast<Id>(value - 1);
            }
            for (std::size_t values = values_of(h.field); values != 0; --values) {
                const std::string_view word = c.word_of_line();
                weight value = 0;
                if (std::string reason = read_value(word, h.field, wanted, value); !reason.empty())
                    return {c.offset_of(word), "value: " + reason};
                if (wanted) weights[i] = value;
            }
            return nothing_left(c);
        });
    });
}

} // namespace

parsed_graph parse_matrix_market(const text& t, const parse_options& o) {
    const header h = read_header(t, o.weights);
    const entry_lines lines(t, h.end, o.block_bytes);
    const std::string announced = " of " + std::to_string(h.entries) + " entries";
    if (lines.size() < h.entries) {
        t.fail(t.bytes().size(), "truncated: there are " + std::to_string(lines.size()) + announced);
    }
    if (lines.size() > h.entries) {
        t.fail(lines.offset_of(static_cast<std::size_t>(h.entries)),
               "one entry too many: this line follows the last" + announced);
    }
    graph::edge_list e;
    if (o.weights) e.weights = lines.weights(h.field == field::pattern);
    if (h.vertices <= row_limit(h.entries)) {
        e.vertices = h.vertices;
        e.from = graph::buffer<vertex>(lines.size());
        e.to = graph::buffer<vertex>(lines.size());
        read_entries(t, h, lines, e.from, e.to, e.weights);
    } else {
        if (h.entries == 0) t.fail(h.size_line, "the file has no edge");
        graph::buffer<std::uint64_t> from(lines.size());
        graph::buffer<std::uint64_t> to(lines.size());
        read_entries(t, h, lines, from, to, e.weights);
        number_vertices(t, e, from, to);
    }
    return {std::move(e), h.direction};
}

parsed_graph parse_graph(const text& t, const parse_options& o) {
    const std::string_view bytes = t.bytes();
    if (same_word(bytes.substr(0, banner.size()), banner)) return parse_matrix_market(t, o);
    cursor c(bytes, {0, bytes.size()});
    const std::string_view first = c.word();
    if (first.ends_with("AdjacencyGraph")) return parse_adjacency(t, o);
    return parse_edge_list(t, o);
}

} // namespace apps::input
