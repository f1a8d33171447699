// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"
#include "support/random.hpp"

namespace apps::SKERRY_APP_VARIANT {

namespace {

using leaves::block_side;
using leaves::block_size;

// The granularity counts blocks along a side: at or below it the recursion goes on without forking.
constexpr presets sizes{{{64, 1}, {256, 1}, {2048, 4}, {128, 1}}};

/// A square part of a matrix of blocks, `side` blocks wide.
struct matrix {
    double* data;
    std::size_t side;
    std::size_t row_stride; // elements from one row of blocks to the next

    matrix quarter(std::size_t i, std::size_t j) const {
        const std::size_t half = side / 2;
        return {data + i * half * row_stride + j * half * block_size, half, row_stride};
    }
};

/// Recursive LU decomposition without pivoting, on a diagonally dominant matrix stored in blocks.
class lu_decomposition final : public instance {
  public:
    explicit lu_decomposition(const options& o) : preset_(chosen(sizes, o)), input_(preset_.n * preset_.n) {
        for (std::size_t i = 0; i < input_.size(); ++i) {
            input_[i] = random_real_at(o.seed, i);
        }
        const std::size_t blocks = preset_.n / block_side;
        for (std::size_t i = 0; i < preset_.n; ++i) {
            const std::size_t block = i / block_side;
            input_[block * (blocks + 1) * block_size + i % block_side * (block_side + 1)] =
                static_cast<double>(preset_.n);
        }
        data_ = input_;
    }

    std::string problem() const override {
        return std::to_string(preset_.n) + " x " + std::to_string(preset_.n) + ", granularity " +
               std::to_string(preset_.granularity) + (preset_.granularity == 1 ? " block" : " blocks");
    }
    void reset() override { data_ = input_; }
    void run() override {
        const std::size_t blocks = preset_.n / block_side;
        decompose({data_.data(), blocks, blocks * block_size});
    }
    verdict check() const override { return checks::lu(input_, data_, preset_.n); }
    void corrupt() override { data_[data_.size() / 2] += 1.0; }
    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const double>(data_)); }

  private:
    // A step forks while its part is larger than the granularity, and then goes on in order in a function of its own:
    // beside a fork, compilers make slower code of the plain calls.
    enum class steps { forking, in_order };

    template <steps How, class... F>
    static void all(F&&... f) {
        if constexpr (How == steps::forking) {
            par::parallel_invoke(f...);
        } else {
            (f(), ...);
        }
    }

    template <steps How = steps::forking>
    void decompose(matrix m) {
        if (How == steps::forking && m.side <= preset_.granularity) {
            return decompose<steps::in_order>(m);
        }
        if (m.side == 1) {
            leaves::block_lu(m.data);
            return;
        }
        decompose<How>(m.quarter(0, 0));
        all<How>([&] { lower_solve<How>(m.quarter(0, 1), m.quarter(0, 0)); },
                 [&] { upper_solve<How>(m.quarter(1, 0), m.quarter(0, 0)); });
        schur<How>(m.quarter(1, 1), m.quarter(1, 0), m.quarter(0, 1));
        decompose<How>(m.quarter(1, 1));
    }

    template <steps How>
    void lower_solve(matrix m, matrix l) {
        if (How == steps::forking && m.side <= preset_.granularity) {
            return lower_solve<steps::in_order>(m, l);
        }
        if (m.side == 1) {
            leaves::block_lower_solve(m.data, l.data);
            return;
        }
        const auto column = [&](std::size_t j) {
            lower_solve<How>(m.quarter(0, j), l.quarter(0, 0));
            schur<How>(m.quarter(1, j), l.quarter(1, 0), m.quarter(0, j));
            lower_solve<How>(m.quarter(1, j), l.quarter(1, 1));
        };
        all<How>([&] { column(0); }, [&] { column(1); });
    }

    template <steps How>
    void upper_solve(matrix m, matrix u) {
        if (How == steps::forking && m.side <= preset_.granularity) {
            return upper_solve<steps::in_order>(m, u);
        }
        if (m.side == 1) {
            leaves::block_upper_solve(m.data, u.data);
            return;
        }
        const auto row = [&](std::size_t i) {
            upper_solve<How>(m.quarter(i, 0), u.quarter(0, 0));
            schur<How>(m.quarter(i, 1), m.quarter(i, 0), u.quarter(0, 1));
            upper_solve<How>(m.quarter(i, 1), u.quarter(1, 1));
        };
        all<How>([&] { row(0); }, [&] { row(1); });
    }

    template <steps How>
    void schur(matrix m, matrix left, matrix up) {
        if (How == steps::forking && m.side <= preset_.granularity) {
            return schur<steps::in_order>(m, left, up);
        }
        if (m.side == 1) {
            leaves::block_schur(m.data, left.data, up.data);
            return;
        }
        for (std::size_t k = 0; k < 2; ++k) {
            const auto part = [&](std::size_t i, std::size_t j) {
                schur<How>(m.quarter(i, j), left.quarter(i, k), up.quarter(k, j));
            };
            all<How>([&] { part(0, 0); }, [&] { part(0, 1); }, [&] { part(1, 0); }, [&] { part(1, 1); });
        }
    }

    preset preset_;
    std::vector<double> input_;
    std::vector<double> data_;
};

} // namespace

entry entry_cilk5_lu() {
    return {{.name = "cilk5-lu",
             .summary = "recursive LU decomposition in blocks of 16",
             .example = "skerry run cilk5-lu --granularity 2",
             .paper = {"128", 1, pattern::spawn_sync}},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<lu_decomposition>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
