// SPDX-License-Identifier: Apache-2.0
#pragma once

// The graph that a program's options ask for: generated, read from a file, or WordNet's.

#include "graph/csr.hpp"
#include "input/wordnet.hpp"
#include "program.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apps::ligra {

/// Thread safety: constant once made.
struct problem_graph {
    std::string name;
    graph::csr graph;
    std::optional<input::wordnet> words; ///< if the vertices are synsets
};

/// What a program needs of a graph that a file may have or not.
struct needs {
    bool undirected = false; ///< add each edge's reverse
    bool weights = false;    ///< where there are none, each edge weighs 1
};

/// The vertices of the generated graph, before rounding up, for each size; and the granularity, 0 for automatic.
struct preset {
    std::uint64_t vertices;
    std::size_t granularity;
};
using presets = std::array<preset, size_names.size()>;

inline constexpr std::array<std::string_view, 1> real_inputs{"wordnet"};

/// What the eight programs have in common. The two variants of one program, alive together, share one graph.
class graph_instance : public instance {
  public:
    std::string problem() const override;

  protected:
    graph_instance(const options& o, const presets& p, needs n);

    const problem_graph& input() const noexcept { return *graph_; }
    const graph::csr& graph() const noexcept { return graph_->graph; }
    std::size_t granularity() const noexcept { return granularity_; }

    /// A vertex for a person: "vertex 7" as its file calls it, or the first word of a synset.
    std::string name_of(graph::vertex v) const;

    /// A vertex that the user names: by its file's number, or by a word (then all synsets that hold it). `option` is
    /// for errors.
    std::vector<graph::vertex> vertices_named(const std::string& name, const char* option) const;

  private:
    std::shared_ptr<const problem_graph> graph_;
    std::size_t granularity_;
};

} // namespace apps::ligra
