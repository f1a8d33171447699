// SPDX-License-Identifier: Apache-2.0
#include "ligra/problem.hpp"

#include "graph/rmat.hpp"
#include "input/formats.hpp"

#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>

namespace apps::ligra {
namespace {

graph::csr with_weights(graph::edge_list e, needs n, graph::direction d) {
    if (n.weights && e.weights.empty()) e.weights = graph::buffer<graph::weight>(e.size(), 1);
    return graph::build(e, n.undirected ? graph::direction::undirected : d);
}

std::string thousands(std::uint64_t n) { return n % 1000 == 0 ? std::to_string(n / 1000) + "K" : std::to_string(n); }

problem_graph generate(std::uint64_t vertices, std::uint64_t seed, needs n) {
    graph::edge_list e = graph::rmat(vertices, seed);
    if (n.weights) graph::add_random_weights(e, seed);
    return {"rMat_" + thousands(vertices), graph::build(e, graph::direction::undirected), {}};
}

problem_graph load(const std::string& path, needs n) {
    const bool installed = path == real_inputs[0] && !std::filesystem::exists(path);
    if (installed || input::wordnet::is_in(path)) {
        input::wordnet words(installed ? std::string(input::wordnet_folder) : path);
        // A relation can be walked either way: what is a hypernym to one is a hyponym to the other.
        graph::csr g = with_weights(words.edges(), n, graph::direction::undirected);
        return {"WordNet", std::move(g), std::move(words)};
    }
    input::parsed_graph parsed = input::parse_graph(input::text(path), {.weights = n.weights});
    return {path, with_weights(std::move(parsed.edges), n, parsed.direction), {}};
}

/// The same graph to everybody who asks while someone still has it.
std::shared_ptr<const problem_graph> shared_graph(const options& o, std::uint64_t vertices, needs n) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<const problem_graph>> graphs;
    const std::string key =
        (o.input.empty() ? std::to_string(vertices) + "/" + std::to_string(o.seed) : "=" + o.input) +
        (n.undirected ? "/undirected" : "") + (n.weights ? "/weights" : "");
    const std::lock_guard lock(mutex);
    std::weak_ptr<const problem_graph>& place = graphs[key];
    std::shared_ptr<const problem_graph> graph = place.lock();
    if (graph == nullptr) {
        graph = std::make_shared<problem_graph>(o.input.empty() ? generate(vertices, o.seed, n) : load(o.input, n));
        place = graph;
    }
    return graph;
}

} // namespace

graph_instance::graph_instance(const options& o, const presets& p, needs n) {
    const preset& chosen = p.at(static_cast<std::size_t>(o.size));
    graph_ = shared_graph(o, chosen.vertices, n);
    granularity_ = o.granularity != 0 ? o.granularity : chosen.granularity;
}

std::string graph_instance::problem() const {
    const graph::csr& g = graph();
    const std::uint64_t edges = g.symmetric() ? g.arcs() / 2 : g.arcs();
    return graph_->name + ": " + std::to_string(g.vertices()) + " vertices, " + std::to_string(edges) + " edges" +
           (granularity_ == 0 ? "" : ", granularity " + std::to_string(granularity_));
}

std::string graph_instance::name_of(graph::vertex v) const {
    const auto& words = graph_->words;
    return words ? input::readable(words->words(v).front()) : "vertex " + std::to_string(graph().name(v));
}

std::vector<graph::vertex> graph_instance::vertices_named(const std::string& name, const char* option) const {
    if (const auto& words = graph_->words) {
        std::vector<graph::vertex> found = words->find(name);
        if (found.empty()) throw usage_error(std::string(option) + ": WordNet has no word " + input::quoted(name));
        return found;
    }
    std::uint64_t number = 0;
    const std::uint64_t last = graph().renumbered() ? UINT64_MAX : graph().vertices() - std::uint64_t{1};
    if (!input::read_number(name, last, number))
        throw usage_error(std::string(option) + ": vertex " + input::why_no_number(name, 0, last));
    const graph::vertex v = graph().named(number);
    if (v == graph::no_vertex)
        throw usage_error(std::string(option) + ": no edge of the file has the vertex " + input::quoted(name));
    return {v};
}

} // namespace apps::ligra
