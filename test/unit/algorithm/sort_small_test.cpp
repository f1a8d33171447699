// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <cmath>
#include <memory>

namespace algorithm_test {
namespace {

// McIlroy, "A killer adversary for quicksort": decides the values while it is asked, as badly as it can.
class adversary {
  public:
    explicit adversary(std::size_t n) : values_(n, gas) {}

    bool less(std::uint32_t x, std::uint32_t y) {
        ++calls_;
        if (values_[x] == gas && values_[y] == gas) values_[x == candidate_ ? x : y] = solid_++;
        if (values_[x] == gas) {
            candidate_ = x;
        } else if (values_[y] == gas) {
            candidate_ = y;
        }
        return values_[x] < values_[y];
    }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

  private:
    static constexpr std::uint32_t gas = ~std::uint32_t{0};
    std::vector<std::uint32_t> values_;
    std::uint32_t solid_ = 0;
    std::uint32_t candidate_ = 0;
    std::uint64_t calls_ = 0;
};

template <class T, bool Stable>
std::uint64_t comparisons_against_adversary(std::size_t n) {
    const skerry::detail::parallel_sort_function<in_place, Stable> sort{};
    std::vector<T> v;
    for (std::uint32_t i = 0; i < n; ++i) {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            v.push_back(i);
        } else {
            v.push_back(std::make_unique<std::uint32_t>(i));
        }
    }
    std::ranges::shuffle(v, std::mt19937{1});
    adversary a{n};
    sort(v, [&a](const T& x, const T& y) {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            return a.less(x, y);
        } else {
            return a.less(*x, *y);
        }
    });
    return a.calls();
}

TEST(sorting_against_an_adversary, needs_few_comparisons) {
    for (const std::size_t n : {1000UL, 30000UL}) {
        const double bound = 6 * static_cast<double>(n) * std::log2(n);
        EXPECT_LT(static_cast<double>(comparisons_against_adversary<std::uint32_t, false>(n)), bound);
        EXPECT_LT(static_cast<double>(comparisons_against_adversary<std::uint32_t, true>(n)), bound);
        EXPECT_LT(static_cast<double>(comparisons_against_adversary<std::unique_ptr<std::uint32_t>, false>(n)), bound);
        EXPECT_LT(static_cast<double>(comparisons_against_adversary<std::unique_ptr<std::uint32_t>, true>(n)), bound);
    }
}

// An element that many have been compared with in a row was a pivot. From the first one on, the others say that they
// are less than all, and former pivots that they are not: each pivot would be equal to the last one, and alone with
// that.
class denier {
  public:
    explicit denier(std::size_t n) : former_(n, false) {}

    bool less(std::uint32_t x, std::uint32_t y) {
        ++calls_;
        if (x == pivot_ || y == pivot_) {
            ++row_;
        } else {
            if (row_ > 100) former_[pivot_] = denies_ = true;
            pivot_ = x == last_x_ || x == last_y_ ? x : y;
            row_ = 0;
        }
        last_x_ = x;
        last_y_ = y;
        return denies_ ? !former_[x] : x < y;
    }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

  private:
    std::vector<bool> former_;
    bool denies_ = false;
    std::uint32_t pivot_ = 0;
    std::uint32_t last_x_ = 0;
    std::uint32_t last_y_ = 0;
    unsigned row_ = 0;
    std::uint64_t calls_ = 0;
};

TEST(sorting_against_an_adversary, needs_few_comparisons_that_are_no_order) {
    const std::size_t n = 20000;
    std::vector<std::unique_ptr<std::uint32_t>> v;
    for (std::uint32_t i = 0; i < n; ++i) v.push_back(std::make_unique<std::uint32_t>(i));
    std::ranges::shuffle(v, std::mt19937{1});
    denier d{n};
    const skerry::detail::parallel_sort_function<in_place, false> sort{};
    sort(v, [&d](const auto& x, const auto& y) { return d.less(*x, *y); });
    EXPECT_LT(static_cast<double>(d.calls()), 6 * static_cast<double>(n) * std::log2(n));
}

TEST(sorting_small, networks_sort_every_sequence_of_zeros_and_ones) {
    const auto less = [](int a, int b) { return a < b; };
    const auto check = [&]<bool Stable>(std::bool_constant<Stable>, std::size_t n) {
        for (unsigned bits = 0; bits < 1U << n; ++bits) {
            std::vector<int> v(n);
            for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(bits >> i & 1);
            std::vector<int> out(n);
            skerry::detail::sort_few<Stable>(v.data(), n, out.data(), less);
            EXPECT_TRUE(std::ranges::is_sorted(out)) << n << ' ' << bits;
            EXPECT_EQ(std::ranges::count(out, 1), std::ranges::count(v, 1));
        }
    };
    for (std::size_t n = 0; n <= 8; ++n) check(std::false_type{}, n);
    for (std::size_t n = 0; n <= 4; ++n) check(std::true_type{}, n);
}

TEST(sorting_small, sorts_every_length_in_place_and_moving) {
    std::mt19937 random{1};
    const auto less = [](std::pair<int, int> a, std::pair<int, int> b) { return a.first < b.first; };
    for (std::size_t n = 0; n <= 200; ++n) {
        for (const bool move : {false, true}) {
            std::vector<std::pair<int, int>> v(n);
            for (int i = 0; auto& x : v) x = {static_cast<int>(random() % (n / 2 + 1)), i++};
            auto expected = v;
            std::ranges::sort(expected);
            auto from = v;
            std::vector<std::pair<int, int>> to(n);
            skerry::detail::sort_small<true>(from.data(), to.data(), n, move, less);
            EXPECT_EQ(move ? to : from, expected);
            from = v;
            skerry::detail::sort_small<false>(from.data(), to.data(), n, move, less);
            auto& result = move ? to : from;
            EXPECT_TRUE(std::ranges::is_sorted(result, less));
            EXPECT_TRUE(std::ranges::is_permutation(result, v));
        }
    }
}

} // namespace
} // namespace algorithm_test
