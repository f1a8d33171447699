// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"

#include <algorithm>

namespace apps::SKERRY_APP_VARIANT {

namespace {

constexpr presets sizes{{{200, 32}, {1000, 256}, {8000, 256}, {8000, 256}}};

/// Out of place: halve the longer side until both are within the granularity.
class matrix_transpose final : public instance {
  public:
    explicit matrix_transpose(const options& o)
        : preset_(chosen(sizes, o, line)),
          seed_(o.seed),
          from_(preset_.n * preset_.n),
          to_(preset_.n * preset_.n) {
        for (std::size_t i = 0; i < preset_.n; ++i) {
            for (std::size_t j = 0; j < preset_.n; ++j) {
                from_[i * preset_.n + j] = checks::transpose_element(seed_, preset_.n, i, j);
            }
        }
    }

    std::string problem() const override {
        return std::to_string(preset_.n) + " x " + std::to_string(preset_.n) + ", granularity " +
               std::to_string(preset_.granularity);
    }
    void reset() override { std::fill(to_.begin(), to_.end(), -1.0F); }
    void run() override { transpose(0, 0, preset_.n, preset_.n); }
    verdict check() const override { return checks::transposed(to_, seed_, preset_.n); }
    void corrupt() override { to_[to_.size() / 2] = -1.0F; }
    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const float>(to_)); }

  private:
    // Halves cut where a cache line ends, so that no two tasks write the same one.
    static std::size_t half_of(std::size_t length) { return (length / 2 + line - 1) / line * line; }

    void transpose(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
        const std::size_t n = preset_.n;
        const std::size_t longer = std::max(rows, columns);
        if (longer <= preset_.granularity) {
            leaves::transpose(from_.data() + row * n + column, n, to_.data() + column * n + row, n, rows, columns);
            return;
        }
        const std::size_t half = half_of(longer);
        if (rows == longer) {
            par::parallel_invoke([=, this] { transpose(row, column, half, columns); },
                                 [=, this] { transpose(row + half, column, rows - half, columns); });
        } else {
            par::parallel_invoke([=, this] { transpose(row, column, rows, half); },
                                 [=, this] { transpose(row, column + half, rows, columns - half); });
        }
    }

    static constexpr std::size_t line = 16; // floats

    preset preset_;
    std::uint64_t seed_;
    std::vector<float> from_;
    std::vector<float> to_;
};

} // namespace

entry entry_cilk5_mt() {
    return {{.name = "cilk5-mt",
             .summary = "matrix transpose, cache-oblivious",
             .example = "skerry run cilk5-mt --size paper",
             .paper = {"8000", 256, pattern::spawn_sync}},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<matrix_transpose>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
