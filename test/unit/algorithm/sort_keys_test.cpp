// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <rapidcheck/gtest.h>

#include <limits>
#include <span>
#include <string>

namespace algorithm_test {
namespace {

template <class Executor>
class sorting : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_sort_function<Executor, false> sort{};
    static constexpr skerry::detail::parallel_sort_function<Executor, true> stable_sort{};
};

TYPED_TEST_SUITE(sorting, executors, executor_names);

TYPED_TEST(sorting, sorts_every_pattern_by_radix) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : sizes()) {
            for (const auto& v : patterns(n)) {
                auto expected = v;
                std::ranges::sort(expected);
                auto a = v;
                this->sort(a);
                ASSERT_EQ(a, expected);
                this->sort(a.begin(), a.end(), std::greater<>{});
                std::ranges::reverse(expected);
                ASSERT_EQ(a, expected);
            }
        }
    });
}

TYPED_TEST(sorting, agrees_with_std) {
    setting<TypeParam>::each([&](unsigned) {
        EXPECT_TRUE(
            rc::check("sorts equal std's", [&](const std::vector<std::int8_t>& v, const std::vector<double>& w) {
                std::vector<std::int8_t> big;
                for (int i = 0; i < 12; ++i) big.insert(big.end(), v.begin(), v.end());
                auto expected = big;
                std::ranges::sort(expected);
                auto a = big;
                this->sort(a, by_value{});
                RC_ASSERT(a == expected);
                a = big;
                this->sort(a);
                RC_ASSERT(a == expected);
                auto x = w;
                auto y = w;
                std::ranges::sort(x);
                this->sort(y);
                RC_ASSERT(x == y);
            }));
    });
}

TYPED_TEST(sorting, takes_arrays_and_spans) {
    int array[] = {3, 1, 2};
    this->sort(array);
    EXPECT_TRUE(std::ranges::is_sorted(array));
    this->sort(std::span{array}, std::greater<>{});
    EXPECT_TRUE(std::ranges::is_sorted(array, std::greater<>{}));
}

template <class T>
void check_integers(const skerry::detail::parallel_sort_function<shuffled, false>& sort, std::size_t n) {
    std::mt19937_64 random{n};
    for (const int shift : {0, 20, 44, 60}) {
        std::vector<T> v(n);
        for (T& x : v) x = static_cast<T>(random() >> shift);
        if (n > 2) {
            v[0] = std::numeric_limits<T>::max();
            v[1] = std::numeric_limits<T>::min();
        }
        auto expected = v;
        std::ranges::sort(expected);
        sort(v, std::less<T>{});
        ASSERT_EQ(v, expected);
        sort(v, std::ranges::greater{});
        std::ranges::reverse(expected);
        ASSERT_EQ(v, expected);
    }
}

TEST(sorting_integers, of_each_width_and_sign) {
    const skerry::detail::parallel_sort_function<shuffled, false> sort{};
    for (const std::size_t n : {10UL, 300UL, 5000UL, 70000UL}) {
        check_integers<std::int8_t>(sort, n);
        check_integers<std::uint16_t>(sort, n);
        check_integers<std::int32_t>(sort, n);
        check_integers<std::int64_t>(sort, n);
        check_integers<std::uint64_t>(sort, n);
        check_integers<char>(sort, n);
    }
}

// The same for each order of the same elements, and hardly for others.
template <class T>
std::uint64_t fingerprint(const std::vector<T>& v) {
    std::uint64_t sum = 0;
    for (const T x : v) {
        const std::uint64_t mixed = (static_cast<std::uint64_t>(x) + 1) * 0x9e3779b97f4a7c15U;
        sum += mixed ^ mixed >> 29;
    }
    return sum;
}

// Buckets of each kind: too few elements to count, digits of either width, and too large for a cache.
template <class T>
void check_many(std::size_t n) {
    const skerry::detail::parallel_sort_function<forking, false> sort{};
    std::mt19937_64 random{n};
    for (const unsigned few : {0U, 3U, 7U}) {
        std::vector<T> v(n);
        for (T& x : v) {
            const std::uint64_t any = random();
            x = static_cast<T>(any % 8 < few ? any >> 61 : any);
        }
        const std::uint64_t before = fingerprint(v);
        sort(v);
        ASSERT_TRUE(std::ranges::is_sorted(v) && fingerprint(v) == before) << few << " of 8";
    }
}

TEST(sorting_integers, of_each_width_in_large_sequences) {
    skerry::options o;
    o.workers = 2;
    skerry::runtime runtime{o};
    runtime.run([] {
        check_many<std::uint8_t>(1000000);
        check_many<std::int16_t>(slow_build ? 1000000 : 9000000);
        check_many<std::int32_t>(slow_build ? 1000000 : 5000000);
        check_many<std::uint64_t>(slow_build ? 500000 : 2500000);
    });
}

} // namespace
} // namespace algorithm_test
