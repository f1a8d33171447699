// SPDX-License-Identifier: Apache-2.0
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace apps::SKERRY_APP_VARIANT {

namespace {

// Elements, and how many of them are one task of the workers. HC-K2H has 1,048,576 and 32.
constexpr presets sizes{{{10'000, 32}, {100'000, 1024}, {1'048'576, 4096}, {1'048'576, 32}}};

SKERRY_KERNEL(add, (const uint32_t* a, const uint32_t* b, uint32_t* sum), { sum[i] = a[i] + b[i]; })

/// The example of "HC-K2H" (figure 3): an array is the sum of two.
class array_sum final : public instance {
  public:
    explicit array_sum(const options& o)
        : tile_(chosen(sizes, o).granularity),
          where_(o.on_device ? par::place::device : par::place::any),
          a_(chosen(sizes, o).n),
          b_(a_.size()),
          sum_(a_.size()) {
        for (std::size_t i = 0; i < a_.size(); ++i) {
            a_[i] = static_cast<std::uint32_t>(random_at(o.seed, 2 * i));
            b_[i] = static_cast<std::uint32_t>(random_at(o.seed, 2 * i + 1));
        }
    }

    std::string problem() const override {
        return std::to_string(a_.size()) + " elements, tiles of " + std::to_string(tile_);
    }

    void reset() override { std::ranges::fill(sum_, 0); }

    void run() override {
        par::parallel_for(where_, 0, a_.size(), add, par::in(par::each(a_)), par::in(par::each(b_)),
                          par::out(par::each(sum_)), par::grain::fixed(tile_));
    }

    // By subtraction.
    verdict check() const override {
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            if (sum_[i] - a_[i] != b_[i]) return {false, "element " + std::to_string(i) + " is no sum"};
        }
        return {true, std::to_string(sum_.size()) + " sums"};
    }

    void corrupt() override { ++sum_[sum_.size() / 2]; }

    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const std::uint32_t>(sum_)); }

  private:
    std::size_t tile_;
    par::place where_;
    std::vector<std::uint32_t> a_;
    std::vector<std::uint32_t> b_;
    std::vector<std::uint32_t> sum_;
};

} // namespace

entry entry_array_add() {
    return {{.name = "array-add",
             .summary = "the sum of two arrays, by a kernel",
             .example = "skerry run array-add --on serial,threads,hybrid",
             .of = system::kernels},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<array_sum>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
