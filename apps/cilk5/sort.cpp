// SPDX-License-Identifier: Apache-2.0
#include "cilk5/checks.hpp"
#include "cilk5/leaves.hpp"
#include "support/digest.hpp"
#include "support/elision.hpp"
#include "support/preset.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace apps::SKERRY_APP_VARIANT {

namespace {

using leaves::key;

constexpr presets sizes{{{20'000, 512}, {300'000, 4096}, {10'000'000, 4096}, {3'000'000, 4096}}};

// Fewer keys cannot be quartered, nor merged by halves.
constexpr std::size_t least_granularity = 8;

/// Cilksort (Frigo, Leiserson, Randall 1998): sort four quarters, merge the pairs, merge the halves; the merges divide
/// and conquer as well, for with serial merges the last one alone would bound the speed-up by log n.
class merge_sort final : public instance {
  public:
    explicit merge_sort(const options& o) : preset_(chosen(sizes, o, least_granularity)), input_(preset_.n) {
        for (std::size_t i = 0; i < input_.size(); ++i) {
            input_[i] = static_cast<key>(random_at(o.seed, i) >> 32U);
        }
        data_ = input_;
        scratch_.resize(input_.size());
    }

    std::string problem() const override {
        return std::to_string(preset_.n) + " keys, granularity " + std::to_string(preset_.granularity);
    }
    void reset() override { data_ = input_; }
    void run() override { sort(data_.data(), scratch_.data(), data_.size()); }
    verdict check() const override { return checks::sorted(input_, data_); }
    void corrupt() override { data_[data_.size() / 2] = data_[data_.size() / 2 - 1]; }
    std::optional<std::uint64_t> digest() const override { return digest_of(std::span<const key>(data_)); }

  private:
    void sort(key* data, key* scratch, std::size_t size) {
        if (size <= preset_.granularity) {
            leaves::sort(data, scratch, size);
            return;
        }
        const std::size_t quarter = size / 4;
        const std::size_t half = 2 * quarter;
        const std::size_t last = 3 * quarter;
        par::parallel_invoke([=, this] { sort(data, scratch, quarter); },
                             [=, this] { sort(data + quarter, scratch + quarter, quarter); },
                             [=, this] { sort(data + half, scratch + half, quarter); },
                             [=, this] { sort(data + last, scratch + last, size - last); });
        par::parallel_invoke([=, this] { merge(data, quarter, data + quarter, quarter, scratch); },
                             [=, this] { merge(data + half, quarter, data + last, size - last, scratch + half); });
        merge(scratch, half, scratch + half, size - half, data);
    }

    void merge(const key* a, std::size_t a_size, const key* b, std::size_t b_size, key* out) {
        if (a_size < b_size) {
            std::swap(a, b);
            std::swap(a_size, b_size);
        }
        if (a_size + b_size <= preset_.granularity) {
            leaves::merge(a, a_size, b, b_size, out);
            return;
        }
        const std::size_t a_split = a_size / 2;
        const auto b_split = static_cast<std::size_t>(std::lower_bound(b, b + b_size, a[a_split]) - b);
        par::parallel_invoke([=, this] { merge(a, a_split, b, b_split, out); },
                             [=, this] {
                                 merge(a + a_split, a_size - a_split, b + b_split, b_size - b_split,
                                       out + a_split + b_split);
                             });
    }

    preset preset_;
    std::vector<key> input_;
    std::vector<key> data_;
    std::vector<key> scratch_;
};

} // namespace

entry entry_cilk5_cs() {
    return {{.name = "cilk5-cs",
             .summary = "parallel mergesort of 32-bit keys",
             .example = "skerry run cilk5-cs --size paper",
             .paper = {"3000000", 4096, pattern::spawn_sync}},
            [](const options& o) -> std::unique_ptr<instance> { return std::make_unique<merge_sort>(o); }};
}

} // namespace apps::SKERRY_APP_VARIANT
