// SPDX-License-Identifier: Apache-2.0
#include "digits/check.hpp"

#include "digits/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace apps::digits {

namespace {

constexpr double residual_allowed = 1e-10;
constexpr double least_right_of_all = 0.98;
constexpr double least_right = 0.5;
// Two classes whose scores are closer may change places by rounding.
constexpr double tie = 1e-9;

// By the C library, not by the program's own table.
double likeness_of(const image& x, const image& y) {
    int sum = 0;
    for (std::size_t i = 0; i < pixel_count; ++i) {
        const int difference = int{x.pixels[i]} - int{y.pixels[i]};
        sum += difference * difference;
    }
    return std::exp2(-sum / double{half_distance});
}

std::string in_digits(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1e", x);
    return text.data();
}

using scores = std::array<double, class_count>;

void add(scores& sums, double factor, const double* weights) {
    for (std::size_t c = 0; c < class_count; ++c) sums[c] += factor * weights[c];
}

// |(K + ridge I) W - Y| / |Y|
double residual(const std::vector<const image*>& examples, std::span<const double> weights) {
    std::vector<scores> sums(examples.size());
    for (std::size_t i = 0; i < examples.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double alike = likeness_of(*examples[i], *examples[j]);
            add(sums[i], alike, &weights[j * class_count]);
            add(sums[j], alike, &weights[i * class_count]);
        }
        add(sums[i], 1.0 + ridge, &weights[i * class_count]);
    }
    double squares = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
        for (std::size_t c = 0; c < class_count; ++c) {
            const double off = sums[i][c] - (examples[i]->label == c ? 1.0 : -1.0);
            squares += off * off;
        }
    }
    return std::sqrt(squares / static_cast<double>(examples.size() * class_count));
}

// How much less the decided class scores than the best one.
double shortfall(const image& of, const std::vector<const image*>& examples, std::span<const double> weights,
                 std::uint8_t decided) {
    scores sums{};
    for (std::size_t i = 0; i < examples.size(); ++i) {
        add(sums, likeness_of(of, *examples[i]), &weights[i * class_count]);
    }
    return *std::ranges::max_element(sums) - sums[decided];
}

} // namespace

std::size_t count_right(std::span<const image> images, std::span<const trial> trials) {
    std::size_t right = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        right += trials[i % folds].decided[i / folds] == images[i].label ? 1U : 0U;
    }
    return right;
}

verdict classifier(std::span<const image> images, std::span<const trial> trials) {
    if (trials.size() != folds) return {false, std::to_string(trials.size()) + " trials, not 5"};
    double worst = 0;
    for (std::size_t f = 0; f < folds; ++f) {
        std::vector<const image*> examples;
        std::vector<const image*> tests;
        for (std::size_t i = 0; i < images.size(); ++i) (i % folds == f ? tests : examples).push_back(&images[i]);
        const trial& t = trials[f];
        const std::string where = "fold " + std::to_string(f) + ": ";
        if (t.weights.size() != examples.size() * class_count || t.decided.size() != tests.size()) {
            return {false, where + "weights or decisions are missing"};
        }
        const double r = residual(examples, t.weights);
        if (!(r <= residual_allowed)) return {false, where + "the relative residual is " + in_digits(r)};
        worst = std::max(worst, r);
        for (std::size_t i = 0; i < tests.size(); ++i) {
            if (t.decided[i] >= class_count || !(shortfall(*tests[i], examples, t.weights, t.decided[i]) <= tie)) {
                return {false, where + "image " + std::to_string(i * folds + f) + " is not what the weights say"};
            }
        }
    }
    const std::size_t right = count_right(images, trials);
    const double share = static_cast<double>(right) / static_cast<double>(images.size());
    const std::string found = std::to_string(right) + " of " + std::to_string(images.size()) + " images classed right";
    if (share < (images.size() == all_images ? least_right_of_all : least_right)) return {false, "only " + found};
    return {true, found + ", relative residual " + in_digits(worst)};
}

} // namespace apps::digits
