// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/chain.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"

namespace apps::SKERRY_APP_VARIANT {
namespace {

using graph::no_vertex;

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {500'000, 0}, {500'000, 32}}};

using bits = flag_array<bit_flags>;

/// As a breadth-first search, but asks a bit vector who has been reached: a vertex that has costs one bit of cache.
struct adopt {
    vertex* parents;
    bits* reached;

    /// Bit frontiers are filled a cell at a time, so the cell of `to` is this task's alone, too.
    bool update(vertex from, vertex to) const {
        parents[to] = from;
        reached->set_own(to);
        return true;
    }
    bool update_atomic(vertex from, vertex to) const {
        if (!reached->test_and_set(to)) return false;
        parents[to] = from;
        return true;
    }
    bool cond(vertex to) const { return !reached->test(to); }
};

class bfs_with_bits final : public ligra::graph_instance {
  public:
    explicit bfs_with_bits(const options& o)
        : graph_instance(o, sizes, {}),
          root_{graph().hub()},
          parents_(graph().vertices()),
          reached_(graph().vertices()) {}

    void run() override {
        each_vertex(graph().vertices(), granularity(), [&](vertex v) { parents_[v] = no_vertex; });
        reached_.clear();
        parents_[root_[0]] = root_[0];
        reached_.set_own(root_[0]);
        basic_subset<bit_flags> frontier(graph().vertices(), root_);
        while (!frontier.empty()) {
            frontier = edge_map(graph(), frontier, adopt{parents_.data(), &reached_}, {.granularity = granularity()});
        }
    }

    verdict check() const override { return ligra::check_bfs(graph(), root_, parents_.view()); }
    void corrupt() override { ligra::orphan_someone(parents_.data(), parents_.size(), root_); }

    /// Of the levels: which neighbour becomes the parent depends on the schedule.
    std::optional<std::uint64_t> digest() const override {
        return digest_of(std::span<const std::uint32_t>(ligra::levels_of_tree(parents_.view())));
    }

    std::string print() const override { return ligra::print_search(input(), parents_.view(), {}); }

  private:
    std::vector<vertex> root_;
    buffer<vertex> parents_;
    bits reached_;
};

} // namespace

entry entry_ligra_bfsbv() {
    return {{.name = "ligra-bfsbv",
             .summary = "breadth-first search with bit vectors",
             .example = "skerry run ligra-bfsbv --input wordnet",
             .paper = {"rMat_500K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<bfs_with_bits>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
