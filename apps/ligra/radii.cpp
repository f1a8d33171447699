// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace apps::SKERRY_APP_VARIANT {
namespace {

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {200'000, 0}, {200'000, 32}}};

/// Passes on which samples have reached a vertex; the round in which one last does is the vertex's radius.
struct pass_samples {
    const std::uint64_t* reached;
    std::uint64_t* next;
    std::int32_t* radii;
    std::int32_t round;

    bool update(vertex from, vertex to) const {
        const std::uint64_t both = reached[to] | reached[from];
        if (both == reached[to]) return false;
        next[to] |= both;
        const bool first = radii[to] != round;
        radii[to] = round;
        return first;
    }
    bool update_atomic(vertex from, vertex to) const {
        const std::uint64_t both = reached[to] | reached[from];
        if (both == reached[to]) return false;
        set_bits(next[to], both);
        const std::int32_t old = par::may_be_stale(radii[to]);
        return old != round && replace_once(radii[to], old, round);
    }
    bool cond(vertex) const { return true; }
};

/// Estimates each vertex's eccentricity by breadth-first searches from 64 samples at once, a bit each.
class radii final : public ligra::graph_instance {
  public:
    explicit radii(const options& o)
        : graph_instance(o, sizes, {.undirected = true}),
          samples_(choose_samples(graph(), o.seed)),
          reached_(graph().vertices()),
          next_(graph().vertices()),
          radii_(graph().vertices()) {}

    void run() override {
        const vertex n = graph().vertices();
        each_vertex(n, granularity(), [&](vertex v) {
            reached_[v] = next_[v] = 0;
            radii_[v] = -1;
        });
        for (std::size_t i = 0; i != samples_.size(); ++i) {
            reached_[samples_[i]] = next_[samples_[i]] = std::uint64_t{1} << i;
            radii_[samples_[i]] = 0;
        }
        subset frontier(n, samples_);
        for (std::int32_t round = 1; !frontier.empty(); ++round) {
            frontier = edge_map(graph(), frontier, pass_samples{reached_.data(), next_.data(), radii_.data(), round},
                                {.granularity = granularity()});
            frontier.each(granularity(), [&](vertex v) { reached_[v] = next_[v]; });
        }
    }

    verdict check() const override { return ligra::check_radii(graph(), samples_, radii_.view()); }
    void corrupt() override { radii_[samples_[0]] -= 1; }
    std::optional<std::uint64_t> digest() const override { return digest_of(radii_.view()); }

    std::string print() const override {
        return "the largest radius seen is " + std::to_string(*std::max_element(radii_.begin(), radii_.end()));
    }

  private:
    /// Different vertices, with neighbours if there are any such: a lone one says nothing about the others.
    static std::vector<vertex> choose_samples(const csr& g, std::uint64_t seed) {
        constexpr std::size_t bits = 64;
        std::vector<vertex> joined;
        for (vertex v = 0; v != g.vertices(); ++v) {
            if (g.out().degree(v) != 0) joined.push_back(v);
        }
        if (joined.empty()) joined.push_back(0);
        const std::size_t count = std::min(bits, joined.size());
        for (std::size_t i = 0; i != count; ++i) {
            std::swap(joined[i], joined[i + random_at(seed, i) % (joined.size() - i)]);
        }
        joined.resize(count);
        return joined;
    }

    std::vector<vertex> samples_;
    buffer<std::uint64_t> reached_; ///< bit i: sample i has reached the vertex
    buffer<std::uint64_t> next_;    ///< the same after this round
    buffer<std::int32_t> radii_;    ///< -1: not reached
};

} // namespace

entry entry_ligra_radii() {
    return {{.name = "ligra-radii",
             .summary = "estimates of each vertex's eccentricity",
             .example = "skerry run ligra-radii --size small",
             .paper = {"rMat_200K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<radii>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
