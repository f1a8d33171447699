// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include "digits/image.hpp"
#include "graph/csr.hpp"
#include "input/formats.hpp"
#include "input/gzip.hpp"
#include "input/wordnet.hpp"
#include "packets/packet.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fuzz {
namespace {

using apps::graph::vertex;

/// A few bytes may have a million rows; the fuzzer has better to do than to write so many empty rows.
constexpr std::uint64_t most_built = 4096;

void demand(bool promise, const char* text) {
    if (promise) return;
    std::fprintf(stderr, "broken promise: %s\n", text);
    std::abort();
}

bool can_be_shown(std::string_view message) {
    return std::ranges::all_of(message, [](char c) { return c >= ' ' && c < 0x7f; });
}

/// NAME:LINE: REASON, with a line that the text has. Opening errors do not occur here.
void check_message(std::string_view message, std::string_view name, std::string_view bytes) {
    demand(message.starts_with(name) && message.substr(name.size()).starts_with(":"), "an error names the file");
    std::size_t line = 0;
    std::size_t i = name.size() + 1;
    for (; i < message.size() && message[i] >= '0' && message[i] <= '9'; ++i)
        line = line * 10 + static_cast<std::size_t>(message[i] - '0');
    const auto lines = 1 + static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    demand(line >= 1 && line <= lines, "an error names a line of the file");
    demand(message.substr(i).starts_with(": ") && message.size() > i + 2, "an error says why");
    demand(can_be_shown(message), "an error can be shown");
}

void check_rows(const apps::graph::rows& rows, vertex n) {
    for (vertex v = 0; v != n; ++v) {
        const auto ends = rows(v);
        demand(std::ranges::adjacent_find(ends, std::ranges::greater_equal()) == ends.end(), "rows ascend");
        demand(ends.empty() || ends.back() < n, "every end is a vertex");
        demand(!std::ranges::binary_search(ends, v), "there are no loops");
    }
}

struct outcome {
    std::optional<apps::input::parsed_graph> graph;
    std::string message;
};

/// What the bytes are once unpacked. Nothing, with the message shown to be one, where they are no text.
std::optional<apps::input::text> open(std::string_view bytes) {
    try {
        return apps::input::text("file", bytes);
    } catch (const apps::input_error& e) {
        const std::string_view message = e.what();
        demand(message.starts_with("file: ") && message.size() > 6, "an error names the file");
        demand(can_be_shown(message), "an error can be shown");
        return std::nullopt;
    }
}

outcome parse(const apps::input::text& t, bool weights, std::size_t block) {
    try {
        return {apps::input::parse_graph(t, {.weights = weights, .block_bytes = block}), ""};
    } catch (const apps::input_error& e) {
        return {std::nullopt, e.what()};
    }
}

void compare(const outcome& a, const outcome& b) {
    demand(a.message == b.message, "the message does not depend on the blocks");
    if (!a.graph || !b.graph) return;
    const auto& x = a.graph->edges;
    const auto& y = b.graph->edges;
    demand(x.vertices == y.vertices && a.graph->direction == b.graph->direction && std::ranges::equal(x.from, y.from) &&
               std::ranges::equal(x.to, y.to) && std::ranges::equal(x.weights, y.weights) &&
               std::ranges::equal(x.names, y.names),
           "the graph does not depend on the blocks");
}

} // namespace

void graph_file(std::string_view packed) {
    const std::optional<apps::input::text> t = open(packed);
    if (!t) return;
    const std::string_view bytes = t->bytes();
    for (const bool weights : {false, true}) {
        const outcome whole = parse(*t, weights, apps::input::default_block_bytes);
        compare(whole, parse(*t, weights, 1));
        compare(whole, parse(*t, weights, 16));
        if (!whole.graph) {
            check_message(whole.message, "file", bytes);
            continue;
        }
        const apps::graph::edge_list& e = whole.graph->edges;
        demand(e.vertices >= 1 && e.vertices <= apps::input::row_limit(bytes.size()), "vertices are in proportion");
        demand(e.names.empty() || (e.names.size() == e.vertices && e.vertices <= 2 * e.size()),
               "each name has an edge");
        demand(std::ranges::adjacent_find(e.names, std::ranges::greater_equal()) == e.names.end(), "names ascend");
        demand(e.size() <= bytes.size() && e.to.size() == e.size(), "edges are in proportion");
        demand(e.weights.size() == (weights ? e.size() : 0), "weights are kept if asked for");
        if (e.vertices > most_built) continue;
        const apps::graph::csr g = apps::graph::build(e, whole.graph->direction);
        check_rows(g.out(), g.vertices());
        check_rows(g.in(), g.vertices());
        demand(g.out().ends.size() == g.in().ends.size(), "each arc leaves and enters");
    }
}

void wordnet_files(std::string_view bytes) {
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i != 3; ++i) {
        const std::size_t cut = std::min(bytes.find('\1'), bytes.size());
        parts.push_back(bytes.substr(0, cut));
        bytes.remove_prefix(std::min(cut + 1, bytes.size()));
    }
    parts.push_back(bytes);
    // What is no text is the other targets'.
    if (std::ranges::any_of(parts, [](std::string_view part) { return apps::input::is_gzip(part) || !open(part); }))
        return;

    std::array<std::string, 2> messages;
    std::array<std::size_t, 2> pointers{};
    for (const std::size_t attempt : {std::size_t{0}, std::size_t{1}}) {
        std::vector<apps::input::text> texts;
        for (std::size_t i = 0; i != parts.size(); ++i)
            texts.emplace_back(std::string(apps::input::wordnet::file_names.at(i)), parts[i]);
        try {
            const apps::input::wordnet w(std::move(texts), attempt == 0 ? apps::input::default_block_bytes : 1);
            pointers.at(attempt) = w.pointers();
            const apps::graph::csr g = apps::graph::build(w.edges(), apps::graph::direction::undirected);
            check_rows(g.out(), g.vertices());
            demand(g.vertices() == w.synsets(), "a synset is a vertex");
            for (vertex v = 0; v != g.vertices(); ++v) {
                demand(!w.words(v).empty() && !w.words(v)[0].empty(), "a synset has words");
                demand(!w.find(w.words(v)[0]).empty(), "a word is found");
                for (const vertex u : g.out()(v)) w.relation(v, u);
            }
        } catch (const apps::input_error& e) {
            messages.at(attempt) = e.what();
            const std::string_view name = messages.at(attempt);
            for (std::size_t i = 0; i != parts.size(); ++i) {
                if (const auto file = apps::input::wordnet::file_names.at(i); name.starts_with(file))
                    check_message(name, file, parts[i]);
            }
        }
    }
    demand(messages[0] == messages[1] && pointers[0] == pointers[1], "the result does not depend on the blocks");
}

void images_file(std::string_view packed) {
    const std::optional<apps::input::text> t = open(packed);
    if (!t) return;
    const std::string_view bytes = t->bytes();
    try {
        const auto images = apps::digits::parse_images(*t);
        demand(images.size() <= bytes.size() / (2 * apps::digits::pixel_count + 1), "images are in proportion");
        for (const apps::digits::image& i : images) {
            demand(std::ranges::all_of(i.pixels, [](auto p) { return p <= apps::digits::darkest; }),
                   "pixels are in range");
            demand(i.label < apps::digits::class_count, "labels are in range");
        }
    } catch (const apps::input_error& e) {
        check_message(e.what(), "file", bytes);
    }
}

void packet_frame(std::string_view bytes) {
    using namespace apps::packets;
    constexpr std::array links{link_type::ethernet, link_type::loopback, link_type::raw, link_type::linux_cooked};
    if (bytes.size() < 2) return;
    const auto how = static_cast<unsigned char>(bytes[0]);
    const auto pass = static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    std::vector<std::byte> frame(bytes.size()); // of that size, so that the sanitizer sees what lies beyond
    std::ranges::transform(bytes, frame.begin(), [](char c) { return static_cast<std::byte>(c); });
    const std::vector<std::byte> before = frame;
    const auto captured = static_cast<std::uint32_t>(frame.size());
    const packet_head head{1, captured, captured + (how >> 2), 0, pass, links[how & 3]};
    const handled h = handle(frame, head);
    demand(static_cast<std::size_t>(h.fate) < fates, "a packet has a fate");
    if (h.fate != fate::counted) {
        demand(frame == before, "only a counted packet is changed");
        return;
    }
    demand(h.seen.bytes <= head.on_wire, "no packet is longer than its frame");
    const parsed again = parse(frame, head.on_wire, head.link);
    demand(again.fate == fate::counted || again.fate == fate::ttl_spent, "what goes out is right");
    demand(again.key == h.seen.key, "what goes out is of the flow that is counted");
    std::size_t changed = 0; // hops, and halves: of the source, and two checksums
    for (std::size_t i = 0; i != frame.size(); ++i) changed += before[i] != frame[i] ? 1U : 0U;
    demand(changed <= 7, "little is changed");
    flow f;
    f.count(h.seen);
    f.count(h.seen);
}

} // namespace fuzz
