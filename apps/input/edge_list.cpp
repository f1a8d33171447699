// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"
#include "input/lines.hpp"

#include <algorithm>
#include <utility>

namespace apps::input {
namespace {

using graph::buffer;
using graph::vertex;

/// The number of words on the first line that states an edge.
std::size_t columns_of(const text& t) {
    cursor c(t.bytes(), {0, t.bytes().size()});
    while (!c.at_end()) {
        if (states_entry(c)) {
            std::size_t count = 0;
            while (!c.word_of_line().empty()) ++count;
            return count;
        }
        c.next_line();
    }
    t.fail(t.bytes().size(), "the file has no edge");
}

} // namespace

parsed_graph parse_edge_list(const text& t, const parse_options& o) {
    const std::size_t columns = columns_of(t);
    const std::uint64_t limit = vertex_limit(t.bytes().size());
    const entry_lines lines(t, 0, o.block_bytes);
    graph::edge_list e = lines.allocate(o.weights, columns == 2);
    std::vector<vertex> largest(lines.blocks().size());
    parse_blocks(t, lines.blocks(), [&](std::size_t b) {
        vertex top = 0;
        flaw f = lines.each(b, [&](std::size_t i, cursor& c) -> flaw {
            const std::string_view from = c.word_of_line();
            const std::string_view to = c.word_of_line();
            std::uint64_t u = 0;
            std::uint64_t v = 0;
            if (!read_number(from, limit - 1, u))
                return {c.offset_of(from), "vertex: " + why_no_number(from, 0, limit - 1)};
            if (!read_number(to, limit - 1, v)) return {c.offset_of(to), "vertex: " + why_no_number(to, 0, limit - 1)};
            e.from[i] = static_cast<vertex>(u);
            e.to[i] = static_cast<vertex>(v);
            top = std::max({top, e.from[i], e.to[i]});
            if (columns > 2) {
                const std::string_view w = c.word_of_line();
                graph::weight x = 0;
                if (!read_weight(w, x)) return {c.offset_of(w), "weight: " + why_no_weight(w)};
                if (o.weights) e.weights[i] = x;
            }
            return nothing_left(c);
        });
        largest[b] = top;
        return f;
    });
    e.vertices = std::uint64_t{*std::max_element(largest.begin(), largest.end())} + 1;
    return {std::move(e), graph::direction::directed};
}

} // namespace apps::input
