// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <deque>
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
