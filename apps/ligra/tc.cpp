// SPDX-License-Identifier: Apache-2.0
#include "graph/edge_map.hpp"
#include "ligra/checks.hpp"
#include "ligra/problem.hpp"
#include "support/elision.hpp"

#include <functional>
#include <ranges>

namespace apps::SKERRY_APP_VARIANT {
namespace {

constexpr ligra::presets sizes{{{1'000, 0}, {20'000, 0}, {200'000, 0}, {200'000, 32}}};

/// Counts triangles. Each edge is kept at its end of lower degree only; then no row is longer than the square root of
/// twice the edges, and a triangle is found once, as a common end of two rows.
class triangles final : public ligra::graph_instance {
  public:
    explicit triangles(const options& o)
        : graph_instance(o, sizes, {.undirected = true}),
          offsets_(graph().vertices() + std::size_t{1}),
          ends_(graph().arcs() / 2) {}

    void run() override {
        keep_upward_arcs();
        count_ = par::parallel_transform_reduce(
            std::views::iota(vertex{0}, graph().vertices()), std::uint64_t{0}, std::plus<>(),
            [&](vertex v) { return triangles_of(v); }, grain_of(granularity()));
    }

    verdict check() const override { return ligra::check_tc(graph(), count_); }
    void corrupt() override { ++count_; }
    std::optional<std::uint64_t> digest() const override { return count_; }
    std::string print() const override { return std::to_string(count_) + (count_ == 1 ? " triangle" : " triangles"); }

  private:
    bool upward(vertex from, vertex to) const {
        const std::uint64_t a = graph().out().degree(from);
        const std::uint64_t b = graph().out().degree(to);
        return a != b ? a < b : from < to;
    }

    void keep_upward_arcs() {
        const std::size_t n = graph().vertices();
        each_vertex(graph().vertices(), granularity(), [&](vertex v) {
            std::uint64_t count = 0;
            for (const vertex to : graph().out()(v)) count += static_cast<std::uint64_t>(upward(v, to));
            offsets_[v] = count;
        });
        offsets_[n] = 0;
        par::parallel_exclusive_scan(offsets_.begin(), offsets_.end(), offsets_.begin(), std::uint64_t{0});
        each_vertex(graph().vertices(), granularity(), [&](vertex v) {
            vertex* next = ends_.data() + offsets_[v];
            for (const vertex to : graph().out()(v)) {
                if (upward(v, to)) *next++ = to;
            }
        });
    }

    std::span<const vertex> up(vertex v) const {
        return {ends_.data() + offsets_[v], ends_.data() + offsets_[v + std::size_t{1}]};
    }

    std::uint64_t triangles_of(vertex v) const {
        std::uint64_t count = 0;
        for (const vertex to : up(v)) count += common(up(v), up(to));
        return count;
    }

    /// Both rows ascend. No branch depends on which end is smaller: that is a coin toss to a predictor.
    static std::uint64_t common(std::span<const vertex> a, std::span<const vertex> b) {
        std::uint64_t count = 0;
        const vertex* i = a.data();
        const vertex* j = b.data();
        const vertex* const a_end = i + a.size();
        const vertex* const b_end = j + b.size();
        while (i != a_end && j != b_end) {
            const vertex x = *i;
            const vertex y = *j;
            count += static_cast<std::uint64_t>(x == y);
            i += x <= y;
            j += y <= x;
        }
        return count;
    }

    buffer<std::uint64_t> offsets_;
    buffer<vertex> ends_;
    std::uint64_t count_ = 0;
};

} // namespace

entry entry_ligra_tc() {
    return {{.name = "ligra-tc",
             .summary = "the number of triangles",
             .example = "skerry run ligra-tc --input wordnet",
             .paper = {"rMat_200K", 32, pattern::parallel_for},
             .takes_input = true,
             .real_inputs = ligra::real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<triangles>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
