// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using leaves::const_tile;
using leaves::tile;

constexpr presets sizes{{{72, 16}, {256, 32}, {1536, 64}, {256, 32}}};

/// C = A B: halve the longest dimension until all are within the granularity; halving the depth is a sequence.
class matrix_multiply final : public instance {
  public:
    explicit matrix_multiply(const options& o)
        : preset_(chosen(sizes, o, vector_columns)),
          stride_(preset_.n + padding),
          a_(preset_.n * stride_),
          b_(preset_.n * stride_),
          c_(preset_.n * stride_) {
        for (std::size_t i = 0; i < a_.size(); ++i) {
            a_[i] = random_real_at(o.seed, 2 * i);
            b_[i] = random_real_at(o.seed, 2 * i + 1);
        }
    }

    std::string problem() const override {
        return std::to_string(preset_.n) + " x " + std::to_string(preset_.n) + ", granularity " +
               std::to_string(preset_.granularity);
    }
    void reset() override { std::fill(c_.begin(), c_.end(), 0.0); }
    void run() override {
        multiply({c_.data(), stride_}, {a_.data(), stride_}, {b_.data(), stride_}, preset_.n, preset_.n, preset_.n);
    }
    verdict check() const override { return checks::product(a_, b_, c_, preset_.n, stride_); }
    void corrupt() override { c_[c_.size() / 2] += 1.0; }
    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const double>(c_)); }

  private:
    // The leaf's vectors.
    static constexpr std::size_t vector_columns = 8;

    // One cache line more per row: rows a power of two apart would share a handful of cache sets.
    static constexpr std::size_t padding = 8;

    // Even halves, cut where the leaf's vectors end.
    static std::size_t half_of(std::size_t length) {
        return (length / 2 + vector_columns - 1) / vector_columns * vector_columns;
    }

    void multiply(tile c, const_tile a, const_tile b, std::size_t rows, std::size_t columns, std::size_t depth) {
        const std::size_t longest = std::max({rows, columns, depth});
        if (longest <= preset_.granularity) {
            leaves::multiply_add(c, a, b, rows, columns, depth);
            return;
        }
        const std::size_t half = half_of(longest);
        if (rows == longest) {
            par::parallel_invoke([=, this] { multiply(c, a, b, half, columns, depth); },
                                 [=, this] {
                                     multiply({c.data + half * c.stride, c.stride},
                                              {a.data + half * a.stride, a.stride}, b, rows - half, columns, depth);
                                 });
        } else if (columns == longest) {
            par::parallel_invoke([=, this] { multiply(c, a, b, rows, half, depth); },
                                 [=, this] {
                                     multiply({c.data + half, c.stride}, a, {b.data + half, b.stride}, rows,
                                              columns - half, depth);
                                 });
        } else {
            multiply(c, a, b, rows, columns, half);
            multiply(c, {a.data + half, a.stride}, {b.data + half * b.stride, b.stride}, rows, columns, depth - half);
        }
    }

    preset preset_;
    std::size_t stride_;
    std::vector<double> a_;
    std::vector<double> b_;
    std::vector<double> c_;
};

} // namespace

entry entry_cilk5_mm() {
    return {{.name = "cilk5-mm",
             .summary = "blocked recursive matrix product",
             .example = "skerry run cilk5-mm --size paper --json",
             .paper = {"256", 32, pattern::spawn_sync}},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<matrix_multiply>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
