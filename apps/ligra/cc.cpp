// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"

namespace apps::SKERRY_APP_VARIANT {
namespace {

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {500'000, 0}, {500'000, 32}}};

/// Passes the smaller label on. A vertex joins the next frontier once: with whom replaces the label that it had when
/// the round began.
struct pass_label {
    vertex* labels;
    const vertex* before;

    bool update(vertex from, vertex to) const {
        const vertex label = par::may_be_stale(labels[from]);
        const vertex old = labels[to];
        if (label >= old) return false;
        store(labels[to], label);
        return old == before[to];
    }
    bool update_atomic(vertex from, vertex to) const {
        vertex old = 0;
        return write_min(labels[to], par::may_be_stale(labels[from]), old) && old == before[to];
    }
    bool cond(vertex) const { return true; }
};

/// Connected components by label propagation: each vertex ends with the least number in its component.
class components final : public ligra::graph_instance {
  public:
    explicit components(const options& o)
        : graph_instance(o, sizes, {.undirected = true}),
          labels_(graph().vertices()),
          before_(graph().vertices()) {}

    void run() override {
        const vertex n = graph().vertices();
        each_vertex(n, granularity(), [&](vertex v) { labels_[v] = before_[v] = v; });
        subset frontier = subset::all(n, granularity());
        while (!frontier.empty()) {
            frontier =
                edge_map(graph(), frontier, pass_label{labels_.data(), before_.data()}, {.granularity = granularity()});
            frontier.each(granularity(), [&](vertex v) { before_[v] = labels_[v]; });
        }
    }

    verdict check() const override { return ligra::check_cc(graph(), labels_.view()); }

    /// The last vertex is in a component of its own.
    void corrupt() override { labels_[graph().vertices() - 1] = graph::no_vertex; }
    std::optional<std::uint64_t> digest() const override { return digest_of(labels_.view()); }

    std::string print() const override {
        std::size_t count = 0;
        for (vertex v = 0; v != graph().vertices(); ++v) count += static_cast<std::size_t>(labels_[v] == v);
        return std::to_string(count) + (count == 1 ? " component" : " components");
    }

  private:
    buffer<vertex> labels_;
    buffer<vertex> before_; ///< when the round began
};

} // namespace

entry entry_ligra_cc() {
    return {{.name = "ligra-cc",
             .summary = "connected components by label propagation",
             .example = "skerry run ligra-cc --input wordnet",
             .paper = {"rMat_500K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<components>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
