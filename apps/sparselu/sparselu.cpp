// SPDX-License-Identifier: Apache-2.0
#include "sparselu/check.hpp"
#include "sparselu/matrix.hpp"
#include "sparselu/tasks.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using namespace sparselu_tasks;
using sparselu::matrix;

// Blocks to a side, and the side of a block. 84 x 84 blocks in the generated pattern are 53,018 tasks; the paper has
// 54,814.
constexpr presets sizes{{{6, 8}, {12, 16}, {24, 64}, {84, 64}}};
constexpr std::array<std::string_view, 1> real_inputs{"wordnet"};

/// An LU factorisation of a sparse matrix in blocks, without pivots. Blocks that become other than zero on the way are
/// there from the beginning.
class factorisation final : public instance {
  public:
    explicit factorisation(const options& o)
        : a_(sparselu::chosen_matrix(o, chosen(sizes, o).n, chosen(sizes, o).granularity)),
          n_(a_.blocks()),
          home_(par::root_region().create()),
          blocks_(n_ * n_) {
        std::vector<bool> there(n_ * n_);
        for (std::size_t i = 0; i < n_ * n_; ++i) there[i] = a_.has(i / n_, i % n_);
        for (std::size_t k = 0; k < n_; ++k) {
            ++tasks_;
            for (std::size_t i = k + 1; i < n_; ++i) {
                tasks_ += (there[i * n_ + k] ? 1U : 0U) + (there[k * n_ + i] ? 1U : 0U);
                for (std::size_t j = k + 1; there[i * n_ + k] && j < n_; ++j) {
                    if (there[k * n_ + j]) there[i * n_ + j] = true;
                    tasks_ += there[k * n_ + j] ? 1U : 0U;
                }
            }
        }
        for (std::size_t i = 0; i < n_ * n_; ++i) {
            if (there[i]) blocks_[i] = home_.make_array<double>(a_.side() * a_.side());
        }
    }

    ~factorisation() override { home_.destroy_all(); }

    std::string problem() const override {
        return std::to_string(n_) + " x " + std::to_string(n_) + " blocks of " + std::to_string(a_.side()) + ", " +
               std::to_string(tasks_) + " tasks";
    }

    void reset() override {
        for (std::size_t i = 0; i < n_ * n_; ++i) {
            if (a_.has(i / n_, i % n_)) {
                a_.fill(i / n_, i % n_, blocks_[i]);
            } else {
                std::ranges::fill(blocks_[i], 0.0);
            }
        }
    }

    void run() override {
        using par::in, par::inout;
        for (std::size_t k = 0; k < n_; ++k) {
            par::spawn(lu0, inout(at(k, k)));
            for (std::size_t j = k + 1; j < n_; ++j) {
                if (there(k, j)) par::spawn(fwd, in(at(k, k)), inout(at(k, j)));
            }
            for (std::size_t i = k + 1; i < n_; ++i) {
                if (there(i, k)) par::spawn(bdiv, in(at(k, k)), inout(at(i, k)));
            }
            for (std::size_t i = k + 1; i < n_; ++i) {
                for (std::size_t j = k + 1; there(i, k) && j < n_; ++j) {
                    if (there(k, j)) par::spawn(bmod, in(at(i, k)), in(at(k, j)), inout(at(i, j)));
                }
            }
        }
        par::taskwait();
    }

    verdict check() const override {
        return sparselu::product(a_, [this](std::size_t i, std::size_t j) { return const_block(blocks_[i * n_ + j]); });
    }

    void corrupt() override { at(n_ - 1, n_ - 1)[0] *= 2; }

    std::optional<std::uint64_t> digest() const override { return hash(); }

    std::string print() const override {
        const auto filled = std::ranges::count_if(blocks_, [](const block b) { return !b.empty(); });
        std::array<char, 96> text{};
        std::snprintf(text.data(), text.size(), "%td blocks of %zu hold factors, %016llx", filled, blocks_.size(),
                      static_cast<unsigned long long>(hash()));
        return text.data();
    }

  private:
    bool there(std::size_t i, std::size_t j) const { return !blocks_[i * n_ + j].empty(); }
    const block& at(std::size_t i, std::size_t j) const { return blocks_[i * n_ + j]; }
    std::uint64_t hash() const {
        std::uint64_t all = 0;
        for (const block b : blocks_) all = scatter(all ^ digest_of(const_block(b)));
        return all;
    }

    matrix a_;
    std::size_t n_;
    par::region home_;
    std::vector<block> blocks_; // empty: zeros
    std::size_t tasks_ = 0;
};

} // namespace

entry entry_sparselu() {
    return {{.name = "sparselu",
             .summary = "LU factorisation of a sparse matrix in blocks",
             .example = "skerry run sparselu --input wordnet",
             .takes_input = true,
             .of = system::dataflow,
             .real_inputs = real_inputs},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<factorisation>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
