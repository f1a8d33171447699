// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"

#include <numeric>

namespace apps::SKERRY_APP_VARIANT {

namespace {

// The granularity counts rows: a task searches the last so many of them by itself.
constexpr presets sizes{{{6, 2}, {10, 3}, {14, 8}, {10, 3}}};

/// All ways to place n queens, by backtracking; a parallel loop over the free squares of each upper row.
class n_queens final : public instance {
  public:
    explicit n_queens(const options& o) : preset_(chosen(sizes, o)) {}

    std::string problem() const override {
        return std::to_string(preset_.n) + " queens, granularity " + std::to_string(preset_.granularity) +
               (preset_.granularity == 1 ? " row" : " rows");
    }
    void reset() override { count_ = 0; }
    void run() override { count_ = search(preset_.n, 0, 0, 0); }
    verdict check() const override { return checks::queens(preset_.n, count_); }
    void corrupt() override { --count_; }
    std::optional<std::uint64_t> digest() const override { return count_; }
    std::string print() const override { return std::to_string(count_) + " solutions"; }

  private:
    static constexpr std::size_t most_rows = 18;

    std::uint64_t search(std::size_t rows_left, unsigned columns, unsigned left, unsigned right) const {
        const unsigned all = (1U << preset_.n) - 1U;
        if (rows_left <= preset_.granularity) {
            return leaves::queens(all, columns, left, right);
        }
        std::array<unsigned, most_rows> squares;
        std::array<std::uint64_t, most_rows> counts;
        std::size_t free_squares = 0;
        for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
            squares[free_squares++] = free & (0U - free);
        }
        par::parallel_for(
            std::size_t{0}, free_squares,
            [&](std::size_t i) {
                const unsigned queen = squares[i];
                counts[i] = search(rows_left - 1, columns | queen, (left | queen) << 1U, (right | queen) >> 1U);
            },
            par::grain::fixed(1));
        return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(free_squares),
                               std::uint64_t{0});
    }

    preset preset_;
    std::uint64_t count_ = 0;
};

} // namespace

entry entry_cilk5_nq() {
    return {{.name = "cilk5-nq",
             .summary = "n queens by backtracking",
             .example = "skerry run cilk5-nq --size medium --repeat 5",
             .paper = {"10", 3, pattern::parallel_for}},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<n_queens>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
