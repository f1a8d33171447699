// SPDX-License-Identifier: Apache-2.0
#include "input/formats.hpp"

#include <algorithm>
#include <utility>

namespace apps::input {
namespace {

using graph::buffer;
using graph::vertex;
using graph::weight;

struct header {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::size_t end = 0; ///< where the offsets begin
    bool weighted = false;
};

std::uint64_t read_size(const text& t, cursor& c, const char* what) {
    const std::string_view word = c.word();
    std::uint64_t value = 0;
    if (word.empty()) t.fail(c.at(), std::string("the file ends where the number of ") + what + " should stand");
    if (!read_number(word, graph::no_vertex, value))
        t.fail(c.offset_of(word), why_no_number(word, 0, graph::no_vertex));
    return value;
}

header read_header(const text& t) {
    cursor c(t.bytes(), {0, t.bytes().size()});
    header h;
    const std::string_view kind = c.word();
    h.weighted = kind == "WeightedAdjacencyGraph";
    if (!h.weighted && kind != "AdjacencyGraph") {
        t.fail(c.offset_of(kind), "not Ligra's adjacency form: it begins with " + quoted(kind));
    }
    h.vertices = read_size(t, c, "vertices");
    if (h.vertices == 0) t.fail(c.at() - 1, "the graph has no vertices");
    h.edges = read_size(t, c, "edges");
    h.end = c.at();
    return h;
}

std::size_t count_words(std::string_view bytes, block b) {
    std::size_t count = 0;
    bool in_word = false;
    for (std::size_t i = b.begin; i != b.end; ++i) {
        const bool space = is_space(bytes[i]);
        count += static_cast<std::size_t>(!space && !in_word);
        in_word = !space;
    }
    return count;
}

/// The numbers behind the header: where each one is in the text, and what it means.
class body {
  public:
    body(const text& t, const header& h, std::size_t block_bytes)
        : text_(t),
          header_(h),
          blocks_(blocks_of_words(t.bytes(), h.end, block_bytes)),
          first_(first_items(blocks_, [&](block b) { return count_words(t.bytes(), b); })) {
        const std::uint64_t expected = h.vertices + h.edges * (h.weighted ? 2 : 1);
        const std::string announced = std::to_string(h.vertices) + " vertices and " + std::to_string(h.edges) +
                                      " edges need " + std::to_string(expected) + " numbers";
        if (first_.back() < expected) {
            t.fail(t.bytes().size(), "truncated: " + announced + ", there are " + std::to_string(first_.back()));
        }
        if (first_.back() > expected) {
            const std::string_view extra = word(static_cast<std::size_t>(expected));
            t.fail(offset_of(extra), quoted(extra) + " is one too many: " + announced);
        }
    }

    parsed_graph parse(bool want_weights) const {
        buffer<std::uint64_t> offsets(header_.vertices + 1);
        graph::edge_list e;
        e.vertices = header_.vertices;
        e.from = buffer<vertex>(header_.edges);
        e.to = buffer<vertex>(header_.edges);
        if (want_weights)
            e.weights = header_.weighted ? buffer<weight>(header_.edges) : buffer<weight>(header_.edges, 1);
        parse_blocks(text_, blocks_, [&](std::size_t b) { return parse_block(b, offsets, e); });
        offsets[header_.vertices] = header_.edges;
        check_offsets(offsets);
        skerry::parallel_for(std::size_t{0}, static_cast<std::size_t>(header_.vertices), [&](std::size_t v) {
            std::fill(e.from.begin() + offsets[v], e.from.begin() + offsets[v + 1], static_cast<vertex>(v));
        });
        return {std::move(e), graph::direction::directed};
    }

  private:
    flaw parse_block(std::size_t b, buffer<std::uint64_t>& offsets, graph::edge_list& e) const {
        cursor c(text_.bytes(), blocks_[b]);
        for (std::size_t i = first_[b]; i != first_[b + 1]; ++i) {
            const std::string_view w = c.word();
            std::uint64_t value = 0;
            if (i < header_.vertices) {
                if (!read_number(w, header_.edges, value))
                    return {c.offset_of(w), "offset: " + why_no_number(w, 0, header_.edges)};
                offsets[i] = value;
            } else if (i < header_.vertices + header_.edges) {
                if (!read_number(w, header_.vertices - 1, value))
                    return {c.offset_of(w), "target: " + why_no_number(w, 0, header_.vertices - 1)};
                e.to[i - header_.vertices] = static_cast<vertex>(value);
            } else {
                weight x = 0;
                if (const std::string reason = take_weight(w, !e.weights.empty(), x); !reason.empty())
                    return {c.offset_of(w), "weight: " + reason};
                if (!e.weights.empty()) e.weights[i - header_.vertices - header_.edges] = x;
            }
        }
        return {};
    }

    /// Every edge belongs to one vertex.
    void check_offsets(const buffer<std::uint64_t>& offsets) const {
        if (offsets[0] != 0) {
            text_.fail(offset_of(word(0)),
                       "not a graph: the first offset is " + std::to_string(offsets[0]) + ", not 0");
        }
        const auto* const bad = std::is_sorted_until(offsets.begin(), offsets.end());
        if (bad == offsets.end()) return;
        const auto i = static_cast<std::size_t>(bad - offsets.begin());
        text_.fail(offset_of(word(i)), "not a graph: offset " + std::to_string(*bad) + " follows the larger " +
                                           std::to_string(offsets[i - 1]));
    }

    /// Only for errors: reads its block again.
    std::string_view word(std::size_t index) const {
        const auto after = std::upper_bound(first_.begin(), first_.end(), index);
        const auto b = static_cast<std::size_t>(after - first_.begin()) - 1;
        cursor c(text_.bytes(), blocks_[b]);
        std::string_view w = c.word();
        for (std::size_t i = first_[b]; i != index; ++i) w = c.word();
        return w;
    }

    std::size_t offset_of(std::string_view w) const {
        return static_cast<std::size_t>(w.data() - text_.bytes().data());
    }

    const text& text_;
    const header& header_;
    std::vector<block> blocks_;
    std::vector<std::size_t> first_; ///< index of each block's first number
};

} // namespace

parsed_graph parse_adjacency(const text& t, const parse_options& o) {
    const header h = read_header(t);
    return body(t, h, o.block_bytes).parse(o.weights);
}

} // namespace apps::input
