// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <deque>
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

TYPED_TEST(sorting, keeps_the_order_of_equal_elements) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : sizes()) {
            const auto v = records(n);
            auto expected = v;
            std::ranges::stable_sort(expected, {}, &record::key);
            auto a = v;
            this->stable_sort(a, std::less<>{}, &record::key); // radix
            ASSERT_EQ(a, expected);
            a = v;
            this->stable_sort(a, by_value{}, &record::key); // sample sort
            ASSERT_EQ(a, expected);
            std::ranges::stable_sort(expected, std::greater<>{}, &record::wide);
            this->stable_sort(a.begin(), a.end(), std::greater<>{}, [](const record& r) { return r.wide; });
            ASSERT_EQ(a, expected);
            std::deque<record> d(v.begin(), v.end()); // merge sort
            this->stable_sort(d, by_value{}, &record::key);
            std::ranges::stable_sort(a = v, {}, &record::key);
            ASSERT_TRUE(std::ranges::equal(d, a));
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
