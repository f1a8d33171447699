// SPDX-License-Identifier: Apache-2.0
#include "kernels/check_neighbours.hpp"

#include "digits/check.hpp"

#include <array>
#include <cstdio>
#include <numeric>
#include <string>

namespace apps::kernels {

namespace {

constexpr double least_accuracy = 98; // percent

} // namespace

std::int64_t square_distance(const digits::image& a, const digits::image& b) noexcept {
    // |a - b|^2 = |a|^2 + |b|^2 - 2 a b, which is not how the kernel has it.
    const auto product = [](const digits::image& x, const digits::image& y) {
        return std::inner_product(x.pixels.begin(), x.pixels.end(), y.pixels.begin(), std::int64_t{0});
    };
    return product(a, a) + product(b, b) - 2 * product(a, b);
}

std::size_t count_right(const std::vector<digits::image>& images, std::span<const std::int32_t> found) noexcept {
    std::size_t right = 0;
    for (std::size_t k = 0; k < images.size(); ++k) {
        right += images[static_cast<std::size_t>(found[k])].label == images[k].label ? 1 : 0;
    }
    return right;
}

verdict neighbours(const std::vector<digits::image>& images, std::span<const std::int32_t> found) {
    constexpr auto parts = static_cast<std::size_t>(folds);
    for (std::size_t k = 0; k < images.size(); ++k) {
        const auto at = static_cast<std::size_t>(found[k]);
        if (at >= images.size() || at % parts == k % parts) {
            return {false, "image " + std::to_string(k) + " has no neighbour of another part"};
        }
        const std::int64_t least = square_distance(images[k], images[at]);
        for (std::size_t other = 0; other < images.size(); ++other) {
            if (other % parts == k % parts) continue;
            const std::int64_t d = square_distance(images[k], images[other]);
            if (d < least || (d == least && other < at)) {
                return {false, "image " + std::to_string(k) + " is nearer to image " + std::to_string(other) +
                                   " than to " + std::to_string(at)};
            }
        }
    }
    const double accuracy = 100 * static_cast<double>(count_right(images, found)) / static_cast<double>(images.size());
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%zu nearest neighbours, %.2f %% have the same label", images.size(),
                  accuracy);
    return {images.size() != digits::all_images || accuracy >= least_accuracy, text.data()};
}

} // namespace apps::kernels
