// SPDX-License-Identifier: Apache-2.0
#include "digits/check.hpp"
#include "digits/image.hpp"
#include "kernels/check_neighbours.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace apps::SKERRY_APP_VARIANT {

namespace {

constexpr presets sizes{{{100, 1}, {300, 1}, {digits::all_images, 1}, {digits::all_images, 1}}};

// The nearest image of another part, of those that are equally near the first.
SKERRY_KERNEL(nearest, (const uint8_t* pixels, int32_t* found, int32_t images, int32_t parts), {
    SKERRY_GLOBAL const uint8_t* own = pixels + 64 * i;
    int32_t least = 2147483647;
    int32_t at = -1;
    for (int32_t k = 0; k < images; ++k) {
        if (k % parts != (int32_t)(i % parts)) {
            SKERRY_GLOBAL const uint8_t* other = pixels + 64 * k;
            int32_t sum = 0;
            for (int32_t p = 0; p < 64; ++p) {
                int32_t difference = (int32_t)own[p] - (int32_t)other[p];
                sum += difference * difference;
            }
            if (sum < least) {
                least = sum;
                at = k;
            }
        }
    }
    found[i] = at;
})

/// Handwritten digits by their nearest neighbour, each part of the images by the others.
class neighbour_search final : public instance {
  public:
    explicit neighbour_search(const options& o)
        : where_(o.on_device ? par::place::device : par::place::any),
          images_(digits::chosen_images(o, chosen(sizes, o).n, digits::folds)),
          found_(images_.size()) {
        for (const digits::image& image : images_)
            pixels_.insert(pixels_.end(), image.pixels.begin(), image.pixels.end());
    }

    std::string problem() const override {
        return std::to_string(images_.size()) + " images, in " + std::to_string(kernels::folds) + " parts";
    }

    void reset() override { std::ranges::fill(found_, -1); }

    void run() override {
        par::parallel_for(where_, 0, images_.size(), nearest, par::in(pixels_), par::out(par::each(found_)),
                          images_.size(), kernels::folds);
    }

    verdict check() const override { return kernels::neighbours(images_, found_); }
    void corrupt() override { found_.back() = found_.back() == 0 ? 1 : 0; }

    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const std::int32_t>(found_)); }

    std::string print() const override {
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "accuracy %.2f %%",
                      100 * static_cast<double>(kernels::count_right(images_, found_)) /
                          static_cast<double>(images_.size()));
        return text.data();
    }

  private:
    par::place where_;
    std::vector<digits::image> images_;
    std::vector<std::uint8_t> pixels_;
    std::vector<std::int32_t> found_;
};

} // namespace

entry entry_knn() {
    return {{.name = "knn",
             .summary = "handwritten digits by their nearest neighbour, by a kernel",
             .example = "skerry run knn --on serial,threads,hybrid",
             .takes_input = true,
             .takes_train = true,
             .of = system::kernels},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<neighbour_search>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
