// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"

#include <algorithm>
#include <bit>

namespace apps::SKERRY_APP_VARIANT {
namespace {

using ligra::no_distance;

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {200'000, 0}, {200'000, 32}}};

/// Shortens the path to a vertex. It joins the next frontier once: with whom replaces the distance that it had when the
/// round began.
struct relax {
    std::int64_t* distances;
    const std::int64_t* before;

    bool update(vertex from, vertex to, weight w) const {
        const std::int64_t shorter = par::may_be_stale(distances[from]) + w;
        const std::int64_t old = distances[to];
        if (shorter >= old) return false;
        store(distances[to], shorter);
        return old == before[to];
    }
    bool update_atomic(vertex from, vertex to, weight w) const {
        std::int64_t old = 0;
        return write_min(distances[to], par::may_be_stale(distances[from]) + w, old) && old == before[to];
    }
    bool cond(vertex) const { return true; }
};

/// Single-source shortest paths by rounds of relaxation (Bellman, Ford); weights may be negative.
class bellman_ford final : public ligra::graph_instance {
  public:
    explicit bellman_ford(const options& o)
        : graph_instance(o, sizes, {.weights = true}),
          source_(graph().hub()),
          distances_(graph().vertices()),
          before_(graph().vertices()) {}

    void run() override {
        negative_cycle_ = false;
        each_vertex(graph().vertices(), granularity(), [&](vertex v) { distances_[v] = before_[v] = no_distance; });
        distances_[source_] = before_[source_] = 0;
        subset frontier(graph().vertices(), std::vector{source_});
        for (std::uint64_t round = 1; !frontier.empty(); ++round) {
            if (must_end(round)) {
                negative_cycle_ = true;
                return;
            }
            frontier =
                edge_map(graph(), frontier, relax{distances_.data(), before_.data()}, {.granularity = granularity()});
            frontier.each(granularity(), [&](vertex v) { before_[v] = distances_[v]; });
        }
    }

    verdict check() const override { return ligra::check_bf(graph(), source_, distances_.view(), negative_cycle_); }

    void corrupt() override {
        if (negative_cycle_)
            negative_cycle_ = false;
        else
            distances_[source_] += 1;
    }

    std::optional<std::uint64_t> digest() const override { return negative_cycle_ ? 0 : digest_of(distances_.view()); }

    std::string print() const override {
        if (negative_cycle_) {
            return "no shortest paths: a cycle of negative weight can be reached from " + name_of(source_);
        }
        std::size_t reached = 0;
        std::int64_t farthest = 0;
        for (const std::int64_t d : distances_) {
            if (d == no_distance) continue;
            ++reached;
            farthest = std::max(farthest, d);
        }
        return std::to_string(reached) + " of " + std::to_string(distances_.size()) + " vertices reached from " +
               name_of(source_) + ", the farthest at distance " + std::to_string(farthest);
    }

  private:
    /// Without a negative cycle, n rounds are enough. With one, looking for it now and then ends far earlier.
    bool must_end(std::uint64_t round) const {
        constexpr std::uint64_t first_look = 64;
        if (round > graph().vertices()) return true;
        return round >= first_look && std::has_single_bit(round) &&
               ligra::shows_negative_cycle(graph(), source_, distances_.view());
    }

    vertex source_;
    bool negative_cycle_ = false;
    buffer<std::int64_t> distances_;
    buffer<std::int64_t> before_; ///< when the round began
};

} // namespace

entry entry_ligra_bf() {
    return {{.name = "ligra-bf",
             .summary = "single-source shortest paths (Bellman-Ford)",
             .example = "skerry run ligra-bf --size small",
             .paper = {"rMat_200K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<bellman_ford>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
