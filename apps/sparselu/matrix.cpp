// SPDX-License-Identifier: Apache-2.0
#include "sparselu/matrix.hpp"

#include "input/formats.hpp"
#include "input/wordnet.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <filesystem>

namespace apps::sparselu {

namespace {

bool in_pattern(std::size_t i, std::size_t j) {
    const std::size_t apart = i < j ? j - i : i - j;
    return apart <= 1 || (i % 2 == 0 && j % 2 == 0 && std::min(i, j) % 3 == 0);
}

/// The number that each vertex gets, or no_vertex for those that come later than the first `count`.
std::vector<graph::vertex> breadth_first(const graph::csr& g, std::size_t count) {
    std::vector<graph::vertex> number(g.vertices(), graph::no_vertex);
    std::vector<graph::vertex> met;
    const auto meet = [&](graph::vertex v) {
        if (number[v] == graph::no_vertex && met.size() < count) {
            number[v] = static_cast<graph::vertex>(met.size());
            met.push_back(v);
        }
    };
    graph::vertex next = g.hub();
    for (std::size_t at = 0; met.size() < count; ++at) {
        if (at == met.size()) {
            meet(next);
            for (next = 0; number[next] != graph::no_vertex && next + 1 < g.vertices();) ++next;
        }
        for (const graph::vertex v : g.out()(met[at])) meet(v);
    }
    return number;
}

} // namespace

matrix::matrix(std::size_t blocks, std::size_t side, std::uint64_t seed)
    : blocks_(blocks),
      side_(side),
      seed_(seed),
      has_(blocks * blocks),
      least_diagonal_(blocks) {
    for (std::size_t i = 0; i < blocks; ++i) {
        for (std::size_t j = 0; j < blocks; ++j) {
            has_[i * blocks + j] = in_pattern(i, j) ? 1 : 0;
            least_diagonal_[i] += in_pattern(i, j) ? static_cast<double>(side) : 0.0; // of elements in [-1, 1)
        }
    }
}

matrix::matrix(std::size_t blocks, std::size_t side, const graph::csr& g, const std::string& name)
    : blocks_(blocks),
      side_(side),
      has_(blocks * blocks) {
    const std::size_t n = blocks * side;
    if (g.vertices() < n) {
        throw input_error(name + ": a matrix of " + std::to_string(blocks) + " x " + std::to_string(blocks) +
                          " blocks of " + std::to_string(side) + " needs " + std::to_string(n) +
                          " vertices, the graph has " + std::to_string(g.vertices()));
    }
    const std::vector<graph::vertex> number = breadth_first(g, n);
    std::vector<graph::vertex> vertex_of(n);
    for (graph::vertex v = 0; v < g.vertices(); ++v) {
        if (number[v] != graph::no_vertex) vertex_of[number[v]] = v;
    }
    first_.push_back(0);
    for (std::size_t row = 0; row < n; ++row) {
        has_[row / side * blocks + row / side] = 1;
        for (const graph::vertex v : g.out()(vertex_of[row])) {
            if (number[v] == graph::no_vertex) continue;
            columns_.push_back(number[v]);
            has_[row / side * blocks + number[v] / side] = 1;
        }
        first_.push_back(columns_.size());
    }
}

void matrix::fill(std::size_t i, std::size_t j, std::span<double> block) const {
    if (first_.empty()) {
        const std::uint64_t n = blocks_ * side_;
        for (std::size_t row = 0; row < side_; ++row) {
            for (std::size_t column = 0; column < side_; ++column) {
                block[row * side_ + column] = random_real_at(seed_, (i * side_ + row) * n + j * side_ + column);
            }
            if (i == j) block[row * side_ + row] = least_diagonal_[i] + 1.0;
        }
        return;
    }
    std::ranges::fill(block, 0.0);
    for (std::size_t row = 0; row < side_; ++row) {
        const std::size_t begin = first_[i * side_ + row];
        const std::size_t end = first_[i * side_ + row + 1];
        for (std::size_t at = begin; at < end; ++at) {
            if (columns_[at] / side_ == j) block[row * side_ + columns_[at] % side_] = -1.0;
        }
        if (i == j) block[row * side_ + row] = 1.0 + static_cast<double>(end - begin);
    }
}

matrix chosen_matrix(const options& o, std::size_t blocks, std::size_t side) {
    if (o.input.empty()) return {blocks, side, o.seed};
    const auto of = [&](const graph::edge_list& edges) {
        return matrix(blocks, side, graph::build(edges, graph::direction::undirected), o.input);
    };
    const bool installed = o.input == "wordnet" && !std::filesystem::exists(o.input);
    if (installed || input::wordnet::is_in(o.input)) {
        return of(input::wordnet(installed ? std::string(input::wordnet_folder) : o.input).edges());
    }
    return of(input::parse_graph(input::text(o.input), {}).edges);
}

} // namespace apps::sparselu
