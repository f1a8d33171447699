// SPDX-License-Identifier: Apache-2.0
// The checker accepts a right classifier and rejects what a lost, doubled or misplaced task would leave.
#include "digits/check.hpp"
#include "digits/kernel.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>

namespace {

namespace digits = apps::digits;
using digits::class_count;
using digits::trial;
using testing::HasSubstr;

/// Each class has pixels of its own that are dark; some noise makes the images of a class differ.
std::vector<digits::image> easy_images(std::size_t n) {
    std::vector<digits::image> images(n);
    for (std::size_t i = 0; i < n; ++i) {
        images[i].label = static_cast<std::uint8_t>(apps::random_at(1, i) % class_count);
        for (std::size_t p = 0; p < digits::pixel_count; ++p) {
            const bool dark = p / 6 == images[i].label;
            images[i].pixels[p] = static_cast<std::uint8_t>((dark ? 10U : 0U) + apps::random_at(i, p) % 6);
        }
    }
    return images;
}

using matrix = std::vector<std::vector<double>>;

/// Solves A X = B by elimination with row exchanges.
matrix solved(matrix a, matrix b) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k; i < n; ++i) pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
            for (std::size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (double& x : b[i]) x /= a[i][i];
    }
    return b;
}

trial learned(const std::vector<digits::image>& images, std::size_t fold) {
    std::vector<digits::image> examples;
    std::vector<digits::image> asked;
    for (std::size_t i = 0; i < images.size(); ++i) {
        (i % digits::folds == fold ? asked : examples).push_back(images[i]);
    }
    const std::size_t n = examples.size();
    matrix a(n, std::vector<double>(n));
    matrix y(n, std::vector<double>(class_count, -1.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = digits::likeness(digits::distance(examples[i], examples[j])) + (i == j ? digits::ridge : 0.0);
        }
        y[i][examples[i].label] = 1.0;
    }
    const matrix w = solved(a, y);
    trial t;
    for (const auto& row : w) t.weights.insert(t.weights.end(), row.begin(), row.end());
    for (const digits::image& image : asked) {
        std::array<double, class_count> sums{};
        for (std::size_t i = 0; i < n; ++i) {
            const double alike = digits::likeness(digits::distance(image, examples[i]));
            for (std::size_t c = 0; c < class_count; ++c) sums[c] += alike * w[i][c];
        }
        t.decided.push_back(static_cast<std::uint8_t>(std::ranges::max_element(sums) - sums.begin()));
    }
    return t;
}

class check_classifier : public testing::Test {
  protected:
    check_classifier() {
        for (std::size_t f = 0; f < digits::folds; ++f) trials_.push_back(learned(images_, f));
    }

    void expect_rejected(const char* reason) {
        const apps::verdict v = digits::classifier(images_, trials_);
        EXPECT_FALSE(v.ok);
        EXPECT_THAT(v.text, HasSubstr(reason));
    }

    std::vector<digits::image> images_ = easy_images(52);
    std::vector<trial> trials_;
};

TEST_F(check_classifier, accepts_what_solves_the_equations) {
    const apps::verdict v = digits::classifier(images_, trials_);
    EXPECT_TRUE(v.ok) << v.text;
    EXPECT_THAT(v.text, HasSubstr("of 52 images classed right, relative residual "));
}

TEST_F(check_classifier, rejects_each_wrong_weight) {
    for (double& weight : trials_[2].weights) {
        const double right = weight;
        for (const double wrong : {right + 1e-7, std::numeric_limits<double>::quiet_NaN()}) {
            weight = wrong;
            expect_rejected("fold 2: the relative residual is ");
        }
        weight = right;
    }
}

TEST_F(check_classifier, rejects_each_wrong_decision) {
    for (std::size_t i = 0; i < trials_[1].decided.size(); ++i) {
        std::uint8_t& decision = trials_[1].decided[i];
        const std::uint8_t right = decision;
        for (const int wrong : {(right + 1) % 10, int{digits::no_label}}) {
            decision = static_cast<std::uint8_t>(wrong);
            expect_rejected(("fold 1: image " + std::to_string(5 * i + 1) + " is not what the weights say").c_str());
        }
        decision = right;
    }
}

TEST_F(check_classifier, rejects_what_is_incomplete) {
    trials_[3].decided.pop_back();
    expect_rejected("fold 3: weights or decisions are missing");
    trials_[0].weights.pop_back();
    expect_rejected("fold 0: weights or decisions are missing");
    trials_.pop_back();
    expect_rejected("4 trials, not 5");
}

// Solutions of the right equations with the wrong labels.
TEST_F(check_classifier, rejects_what_has_learned_nothing) {
    for (std::size_t i = 0; i < images_.size(); ++i) images_[i].label = static_cast<std::uint8_t>(i % 9 + 1);
    trials_.clear();
    for (std::size_t f = 0; f < digits::folds; ++f) trials_.push_back(learned(images_, f));
    expect_rejected("only ");
}

TEST_F(check_classifier, counts_what_is_right) {
    const std::size_t right = digits::count_right(images_, trials_);
    EXPECT_GE(right, 45U);
    trials_[4].decided[3] = static_cast<std::uint8_t>((images_[19].label + 1) % 10);
    EXPECT_EQ(digits::count_right(images_, trials_), right - 1);
}

} // namespace
