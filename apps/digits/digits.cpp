// SPDX-License-Identifier: Apache-2.0
#include "digits/check.hpp"
#include "digits/image.hpp"
#include "digits/tasks.hpp"
#include "support/dataflow.hpp"
#include "support/digest.hpp"
#include "support/preset.hpp"

#include <cstdio>
#include <limits>
#include <utility>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using namespace digits_tasks;
using digits::class_count;
using digits::folds;
using digits::trial;

// How many of the images, and the side of a tile. Sides of which a multiple is just above four fifths of the images
// waste the least.
constexpr presets sizes{{{100, 32}, {300, 64}, {digits::all_images, 144}, {digits::all_images, 72}}};
constexpr std::size_t least_side = 8;

/// One of the five trials. Everything that its tasks touch lives in a region of its own.
struct fold {
    par::region home;
    std::size_t examples = 0;
    std::size_t tests = 0;
    std::vector<std::span<image>> learned; // blocks of a tile's side
    std::vector<std::vector<tile>> a;      // a[i][j] for j <= i: the matrix, then its factor
    std::vector<tile> w;                   // for each block: targets, then weights
    std::vector<std::span<image>> asked;
    std::vector<tile> scores;
    std::vector<std::span<std::uint8_t>> decided;
};

/// Kernel ridge regression of handwritten digits (Saunders, Gammerman, Vovk 1998), in five folds: for each, a Cholesky
/// factorisation in tiles, two triangular solves with a right-hand side for each class, and a class for each image.
class classifier final : public instance {
  public:
    explicit classifier(const options& o) : side_(chosen(sizes, o, least_side).granularity) {
        side_ = (side_ + leaf_step - 1) / leaf_step * leaf_step;
        images_ = digits::chosen_images(o, chosen(sizes, o).n, folds);
        home_ = par::root_region().create();
        for (std::size_t f = 0; f < folds; ++f) folds_.push_back(prepared(f));
    }

    ~classifier() override { home_.destroy_all(); }

    std::string problem() const override {
        return std::to_string(images_.size()) + " images, 5 folds, tiles of " + std::to_string(side_);
    }

    void reset() override {
        for (const fold& f : folds_) {
            for (const tile w : f.w) std::ranges::fill(w, std::numeric_limits<double>::quiet_NaN());
            for (const std::span<std::uint8_t> d : f.decided) std::ranges::fill(d, digits::no_label);
        }
    }

    void run() override {
        for (const fold& f : folds_) {
            train(f);
            classify(f);
        }
        par::taskwait();
    }

    verdict check() const override { return digits::classifier(images_, results()); }
    void corrupt() override { folds_[1].w[0][0] *= 1.0 + 1e-6; }

    std::optional<std::uint64_t> digest() const override { return weights_hash(); }

    std::string print() const override {
        const std::size_t right = digits::count_right(images_, results());
        std::array<char, 96> text{};
        std::snprintf(text.data(), text.size(), "accuracy %.2f %%, weights %016llx",
                      100.0 * static_cast<double>(right) / static_cast<double>(images_.size()),
                      static_cast<unsigned long long>(weights_hash()));
        return text.data();
    }

  private:
    fold prepared(std::size_t number) {
        fold f;
        f.home = home_.create();
        std::vector<image> examples;
        std::vector<image> tests;
        for (std::size_t i = 0; i < images_.size(); ++i) {
            (i % folds == number ? tests : examples).push_back(images_[i]);
        }
        f.examples = examples.size();
        f.tests = tests.size();
        f.learned = blocks(f.home, std::move(examples));
        f.asked = blocks(f.home, std::move(tests));
        for (std::size_t i = 0; i < f.learned.size(); ++i) {
            std::vector<tile>& row = f.a.emplace_back();
            for (std::size_t j = 0; j <= i; ++j) row.push_back(f.home.make_array<double>(side_ * side_));
            f.w.push_back(f.home.make_array<double>(side_ * lines));
        }
        for (std::size_t i = 0; i < f.asked.size(); ++i) {
            f.scores.push_back(f.home.make_array<double>(side_ * lines));
            f.decided.push_back(f.home.make_array<std::uint8_t>(side_));
        }
        return f;
    }

    std::vector<std::span<image>> blocks(par::region home, std::vector<image> all) const {
        all.resize((all.size() + side_ - 1) / side_ * side_, image{{}, digits::no_label});
        std::vector<std::span<image>> result;
        for (std::size_t begin = 0; begin < all.size(); begin += side_) {
            result.push_back(home.make_array<image>(side_));
            std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(begin), side_, result.back().begin());
        }
        return result;
    }

    static void train(const fold& f) {
        using par::in, par::inout, par::out;
        const std::size_t n = f.a.size();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                par::spawn(compare, in(f.learned[i]), in(f.learned[j]), out(f.a[i][j]), i == j);
            }
            par::spawn(targets, in(f.learned[i]), out(f.w[i]));
        }
        for (std::size_t k = 0; k < n; ++k) {
            par::spawn(potrf, inout(f.a[k][k]));
            for (std::size_t i = k + 1; i < n; ++i) par::spawn(trsm, in(f.a[k][k]), inout(f.a[i][k]));
            for (std::size_t i = k + 1; i < n; ++i) {
                for (std::size_t j = k + 1; j < i; ++j) {
                    par::spawn(gemm, in(f.a[i][k]), in(f.a[j][k]), inout(f.a[i][j]));
                }
                par::spawn(syrk, in(f.a[i][k]), inout(f.a[i][i]));
            }
        }
        for (std::size_t k = 0; k < n; ++k) {
            par::spawn(forward_solve, in(f.a[k][k]), inout(f.w[k]));
            for (std::size_t i = k + 1; i < n; ++i)
                par::spawn(forward_update, in(f.a[i][k]), in(f.w[k]), inout(f.w[i]));
        }
        for (std::size_t k = n; k-- != 0;) {
            par::spawn(backward_solve, in(f.a[k][k]), inout(f.w[k]));
            for (std::size_t i = 0; i < k; ++i) par::spawn(backward_update, in(f.a[k][i]), in(f.w[k]), inout(f.w[i]));
        }
    }

    static void classify(const fold& f) {
        using par::in, par::inout, par::out;
        for (std::size_t t = 0; t < f.asked.size(); ++t) {
            par::spawn(clear, out(f.scores[t]));
            for (std::size_t i = 0; i < f.learned.size(); ++i) {
                par::spawn(score, in(f.asked[t]), in(f.learned[i]), in(f.w[i]), inout(f.scores[t]));
            }
            par::spawn(decide, in(f.scores[t]), out(f.decided[t]));
        }
    }

    std::uint64_t weights_hash() const {
        std::uint64_t hash = 0;
        for (const trial& t : results()) hash = scatter(hash ^ digest_of(std::span<const double>(t.weights)));
        return hash;
    }

    /// Without padding.
    std::vector<trial> results() const {
        std::vector<trial> all;
        for (const fold& f : folds_) {
            trial& t = all.emplace_back();
            for (std::size_t i = 0; i < f.examples; ++i) {
                const auto own = f.w[i / side_].subspan(i % side_ * lines, class_count);
                t.weights.insert(t.weights.end(), own.begin(), own.end());
            }
            for (std::size_t i = 0; i < f.tests; ++i) t.decided.push_back(f.decided[i / side_][i % side_]);
        }
        return all;
    }

    std::size_t side_;
    std::vector<image> images_;
    par::region home_;
    std::vector<fold> folds_;
};

} // namespace

entry entry_digits() {
    return {{.name = "digits",
             .summary = "handwritten digits by kernel ridge regression, Cholesky in tiles",
             .example = "skerry run digits --train 1000",
             .takes_input = true,
             .takes_train = true,
             .of = system::dataflow},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<classifier>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
