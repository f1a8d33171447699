// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/elision.hpp"

#include <algorithm>
#include <utility>

namespace apps::SKERRY_APP_VARIANT {
namespace {

using ligra::no_level;

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {200'000, 0}, {100'000, 32}}};

/// Adds up the shortest paths that reach a vertex; whoever brings the first ones puts it into the next frontier.
struct count_paths {
    double* paths;
    const std::uint32_t* levels;

    bool update(vertex from, vertex to) const {
        const double before = paths[to];
        paths[to] = before + paths[from];
        return before == 0;
    }
    bool update_atomic(vertex from, vertex to) const { return add(paths[to], paths[from]) == 0; }
    bool cond(vertex to) const { return levels[to] == no_level; }
};

/// Betweenness centrality's inner step (Brandes 2001): how much each vertex lies between the source and all others.
class bc final : public ligra::graph_instance {
  public:
    explicit bc(const options& o)
        : graph_instance(o, sizes, {}),
          source_(graph().hub()),
          levels_(graph().vertices()),
          paths_(graph().vertices()),
          shares_(graph().vertices()),
          dependencies_(graph().vertices()) {}

    void run() override {
        each_vertex(graph().vertices(), granularity(), [&](vertex v) {
            levels_[v] = no_level;
            paths_[v] = 0;
            dependencies_[v] = 0;
        });
        levels_[source_] = 0;
        paths_[source_] = 1;
        std::vector<subset> rings;
        rings.emplace_back(graph().vertices(), std::vector{source_});
        while (!rings.back().empty()) {
            subset next = edge_map(graph(), rings.back(), count_paths{paths_.data(), levels_.data()},
                                   {.granularity = granularity()});
            const auto level = static_cast<std::uint32_t>(rings.size());
            next.each(granularity(), [&](vertex v) { levels_[v] = level; });
            rings.push_back(std::move(next));
        }
        for (auto ring = rings.rbegin(); ring != rings.rend(); ++ring) {
            ring->each(granularity(), [&](vertex v) {
                dependencies_[v] = paths_[v] * shares_below(v);
                shares_[v] = (1 + dependencies_[v]) / paths_[v];
            });
        }
    }

    verdict check() const override { return ligra::check_bc(graph(), source_, dependencies_.view()); }
    void corrupt() override { *std::max_element(dependencies_.begin(), dependencies_.end()) += 1; }

    std::string print() const override {
        vertex most = source_ == 0 && graph().vertices() > 1 ? 1 : 0;
        for (vertex v = 0; v != graph().vertices(); ++v) {
            if (v != source_ && dependencies_[v] > dependencies_[most]) most = v;
        }
        return "from " + name_of(source_) + ", most shortest paths to others lead over " + name_of(most);
    }

  private:
    double shares_below(vertex v) const {
        const std::uint32_t below = levels_[v] + 1;
        const std::span<const vertex> ends = graph().out()(v);
        const auto share = [&](vertex to) { return levels_[to] == below ? shares_[to] : 0.0; };
        if (ends.size() <= edge_map_detail::long_row) {
            double sum = 0;
            for (const vertex to : ends) sum += share(to);
            return sum;
        }
        return par::parallel_transform_reduce(ends, 0.0, std::plus<>(), share,
                                              par::grain::fixed(edge_map_detail::long_row));
    }

    vertex source_;
    buffer<std::uint32_t> levels_;
    buffer<double> paths_;        ///< shortest paths from the source
    buffer<double> shares_;       ///< what one of a vertex's paths passes up
    buffer<double> dependencies_; ///< the source's own, too: the number of vertices it reaches
};

} // namespace

entry entry_ligra_bc() {
    return {{.name = "ligra-bc",
             .summary = "betweenness centrality from one source",
             .example = "skerry run ligra-bc --input wordnet",
             .paper = {"rMat_100K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<bc>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
