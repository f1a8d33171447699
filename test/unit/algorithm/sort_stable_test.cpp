// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <deque>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace algorithm_test {
namespace {

template <class Executor>
class sorting : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_sort_function<Executor, false> sort{};
    static constexpr skerry::detail::parallel_sort_function<Executor, true> stable_sort{};
};

TYPED_TEST_SUITE(sorting, executors, executor_names);

// The elements are numbered, so a plain sort tells what a stable one must give.
TYPED_TEST(sorting, keeps_the_order_of_equal_elements) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : sizes()) {
            const auto v = records(n);
            auto expected = v;
            std::ranges::sort(expected, {}, [](const record& r) { return std::pair(r.key, r.number); });
            const auto by_key = expected;
            auto a = v;
            this->stable_sort(a, std::less<>{}, &record::key); // radix
            ASSERT_EQ(a, expected);
            a = v;
            this->stable_sort(a, by_value{}, &record::key); // sample sort
            ASSERT_EQ(a, expected);
            std::ranges::sort(expected, {}, [](const record& r) { return std::tuple(-r.wide, r.key, r.number); });
            this->stable_sort(a.begin(), a.end(), std::greater<>{}, [](const record& r) { return r.wide; });
            ASSERT_EQ(a, expected);
            std::deque<record> d(v.begin(), v.end()); // merge sort
            this->stable_sort(d, by_value{}, &record::key);
            ASSERT_TRUE(std::ranges::equal(d, by_key));
        }
    });
}

// So many bytes are cut by wider digits, into buckets of which some are large, too.
TYPED_TEST(sorting, keeps_the_order_in_large_sequences) {
    const std::size_t n = (std::size_t{1} << 24) / sizeof(record) + 1000;
    setting<TypeParam>::each([&](unsigned workers) {
        if (TypeParam::parallel && workers != 2) return;
        std::mt19937_64 random{n};
        for (const int pattern : {0, 1, 2, 3}) {
            std::vector<record> v(n);
            std::uint64_t sum = 0;
            for (std::uint32_t i = 0; auto& r : v) {
                const auto any = static_cast<std::int64_t>(random());
                if (pattern == 0) r.wide = any;
                if (pattern == 1) r.wide = any % 8 == 0 ? any : -77;
                if (pattern == 2) r.wide = any % 8 == 0 ? any : any % 5000 * 3;
                if (pattern == 3) r.wide = i < n / 2 ? any >> 40 : std::numeric_limits<std::int64_t>::min();
                r.number = i++;
                r.key = static_cast<std::uint16_t>(r.wide);
                sum += static_cast<std::uint64_t>(r.wide) * (2 * std::uint64_t{r.number} + 1);
            }
            this->stable_sort(v, std::less<>{}, &record::wide);
            // In order as pairs, so no number comes twice; and each has the value that it came with.
            const auto not_less = [](const record& a, const record& b) {
                return std::pair(a.wide, a.number) >= std::pair(b.wide, b.number);
            };
            ASSERT_TRUE(std::ranges::adjacent_find(v, not_less) == v.end()) << pattern;
            for (const record& r : v) {
                sum -= static_cast<std::uint64_t>(r.wide) * (2 * std::uint64_t{r.number} + 1);
                ASSERT_EQ(r.key, static_cast<std::uint16_t>(r.wide));
            }
            ASSERT_EQ(sum, 0U) << pattern;
        }
    });
}

TYPED_TEST(sorting, sorts_by_projections_and_members) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {50UL, 3000UL}) {
            auto v = records(n);
            this->sort(v, {}, &record::wide);
            EXPECT_TRUE(std::ranges::is_sorted(v, {}, &record::wide));
            this->sort(v, by_value{}, &record::number);
            EXPECT_EQ(v, records(n));
            std::vector<bool*> addresses(n);
            std::vector<std::string> names;
            for (const record& r : v) names.push_back(std::to_string(r.key));
            this->sort(names, {}, &std::string::size);
            EXPECT_TRUE(std::ranges::is_sorted(names, {}, &std::string::size));
        }
    });
}

} // namespace
} // namespace algorithm_test
