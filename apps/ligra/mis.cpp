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

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {500'000, 0}, {100'000, 32}}};

enum state : std::uint8_t { undecided = 0, member = 1, excluded = 2 };

/// A member excludes its neighbours.
struct exclude {
    std::uint8_t* states;

    bool update(vertex, vertex to) const {
        states[to] = excluded;
        return true;
    }
    bool update_atomic(vertex, vertex to) const {
        return replace_once(states[to], std::uint8_t{undecided}, std::uint8_t{excluded});
    }
    bool cond(vertex to) const { return par::may_be_stale(states[to]) == undecided; }
};

/// A maximal independent set: the one that a greedy algorithm finds when it takes the vertices in a random order
/// (Blelloch, Fineman and Shun 2012). Few rounds are needed, and the result does not depend on the schedule.
class independent_set final : public ligra::graph_instance {
  public:
    explicit independent_set(const options& o)
        : graph_instance(o, sizes, {.undirected = true}),
          seed_(o.seed),
          states_(graph().vertices()),
          order_(graph().vertices()) {}

    void run() override {
        const vertex n = graph().vertices();
        each_vertex(n, granularity(), [&](vertex v) {
            states_[v] = undecided;
            order_[v] = static_cast<std::uint32_t>(random_at(seed_, v));
        });
        subset left = subset::all(n, granularity());
        while (!left.empty()) {
            subset joined = left.filter(granularity(), [&](vertex v) {
                if (!leads(v)) return false;
                store(states_[v], std::uint8_t{member});
                return true;
            });
            edge_map(graph(), joined, exclude{states_.data()}, {.granularity = granularity()});
            left = left.filter(granularity(), [&](vertex v) { return states_[v] == undecided; });
        }
    }

    verdict check() const override {
        std::vector<std::uint8_t> members(states_.begin(), states_.end());
        for (std::uint8_t& m : members) m = static_cast<std::uint8_t>(m == member);
        return ligra::check_mis(graph(), members);
    }

    void corrupt() override { *std::find(states_.begin(), states_.end(), std::uint8_t{member}) = excluded; }
    std::optional<std::uint64_t> digest() const override { return digest_of(states_.view()); }

    std::string print() const override {
        return std::to_string(std::count(states_.begin(), states_.end(), std::uint8_t{member})) + " members";
    }

  private:
    bool before(vertex u, vertex v) const { return order_[u] != order_[v] ? order_[u] < order_[v] : u < v; }

    /// Whether v comes before all its neighbours that are not excluded. A neighbour before v that joins meanwhile stops
    /// v as it did while undecided: the answer does not depend on who is asked first.
    bool leads(vertex v) const {
        return std::ranges::none_of(
            graph().out()(v), [&](vertex u) { return before(u, v) && par::may_be_stale(states_[u]) != excluded; });
    }

    std::uint64_t seed_;
    buffer<std::uint8_t> states_;
    buffer<std::uint32_t> order_;
};

} // namespace

entry entry_ligra_mis() {
    return {{.name = "ligra-mis",
             .summary = "a maximal independent set",
             .example = "skerry run ligra-mis --size small",
             .paper = {"rMat_100K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<independent_set>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
