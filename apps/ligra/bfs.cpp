// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/chain.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"

#include <utility>

namespace apps::SKERRY_APP_VARIANT {
namespace {

using graph::no_vertex;

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {500'000, 0}, {800'000, 32}}};

/// The first to reach a vertex becomes its parent.
struct adopt {
    vertex* parents;

    bool update(vertex from, vertex to) const {
        parents[to] = from;
        return true;
    }
    bool update_atomic(vertex from, vertex to) const { return replace_once(parents[to], no_vertex, from); }
    bool cond(vertex to) const { return par::may_be_stale(parents[to]) == no_vertex; }
};

/// A path in a graph of words is asked for by words alone: `--from dog --to ship`.
options with_default_input(options o) {
    if (o.input.empty() && !(o.from.empty() && o.to.empty())) o.input = ligra::real_inputs[0];
    return o;
}

class bfs final : public ligra::graph_instance {
  public:
    explicit bfs(const options& o) : graph_instance(with_default_input(o), sizes, {}), parents_(graph().vertices()) {
        roots_ = o.from.empty() ? std::vector{graph().hub()} : vertices_named(o.from, "--from");
        if (!o.to.empty()) targets_ = vertices_named(o.to, "--to");
        from_ = o.from;
        to_ = o.to;
    }

    void run() override {
        each_vertex(graph().vertices(), granularity(), [&](vertex v) { parents_[v] = no_vertex; });
        for (const vertex root : roots_) parents_[root] = root;
        subset frontier(graph().vertices(), roots_);
        while (!frontier.empty()) {
            frontier = edge_map(graph(), frontier, adopt{parents_.data()}, {.granularity = granularity()});
        }
    }

    verdict check() const override { return ligra::check_bfs(graph(), roots_, parents_.view()); }
    void corrupt() override { ligra::orphan_someone(parents_.data(), parents_.size(), roots_); }

    /// Of the levels: which neighbour becomes the parent depends on the schedule.
    std::optional<std::uint64_t> digest() const override {
        return digest_of(std::span<const std::uint32_t>(ligra::levels_of_tree(parents_.view())));
    }

    std::string print() const override { return ligra::print_search(input(), parents_.view(), {from_, to_, targets_}); }

  private:
    buffer<vertex> parents_;
    std::vector<vertex> roots_;
    std::vector<vertex> targets_;
    std::string from_;
    std::string to_;
};

} // namespace

entry entry_ligra_bfs() {
    return {{.name = "ligra-bfs",
             .summary = "breadth-first search; prints a shortest chain of words",
             .example = "skerry run bfs --from dog --to ship",
             .paper = {"rMat_800K", 32, pattern::parallel_for},
             .takes_input = true,
             .takes_path = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<bfs>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
