// SPDX-License-Identifier: Apache-2.0
#include "sort_inputs.hpp"

#include <rapidcheck/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

template <class Executor>
class sorting : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_sort_function<Executor, false> sort{};
    static constexpr skerry::detail::parallel_sort_function<Executor, true> stable_sort{};
};

TYPED_TEST_SUITE(sorting, executors, executor_names);

TYPED_TEST(sorting, sorts_every_pattern_by_comparison) {
    setting<TypeParam>::each([&](unsigned workers) {
        for (const std::size_t n : sizes()) {
            if (n > 50000 && workers == 8) continue;
            for (const auto& v : patterns(n)) {
                auto expected = v;
                std::ranges::sort(expected);
                auto a = v;
                this->sort(a, by_value{});
                ASSERT_EQ(a, expected);
                a = v;
                this->stable_sort(a.begin(), a.end(), by_value{});
                ASSERT_EQ(a, expected);
            }
        }
    });
}

TYPED_TEST(sorting, sorts_what_is_not_plain) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {0UL, 1UL, 2UL, 21UL, 500UL, slow_build ? 3000UL : 10000UL}) {
            for (const auto& v : patterns(n)) {
                std::vector<std::string> names;
                for (const auto x : v) names.push_back("a name that needs memory: " + std::to_string(x));
                auto expected = names;
                std::ranges::sort(expected);
                auto a = names;
                this->sort(a);
                ASSERT_EQ(a, expected);
                a = names;
                this->stable_sort(a);
                ASSERT_EQ(a, expected);

                std::deque<std::uint32_t> d(v.begin(), v.end());
                this->sort(d.begin(), d.end());
                ASSERT_TRUE(std::ranges::is_sorted(d));

                std::vector<std::unique_ptr<std::uint32_t>> owners;
                for (const auto x : v) owners.push_back(std::make_unique<std::uint32_t>(x));
                const auto by_target = [](const auto& x, const auto& y) { return *x < *y; };
                this->sort(owners, by_target);
                ASSERT_TRUE(std::ranges::is_sorted(owners, by_target));
                std::ranges::reverse(owners);
                this->stable_sort(owners, by_target);
                ASSERT_TRUE(std::ranges::is_sorted(owners, by_target));
            }
        }
    });
}

struct large {
    std::uint32_t key;
    unsigned char rest[60];
};
struct medium { // more than half a line
    std::uint32_t key;
    unsigned char rest[36];
};
struct larger {
    std::uint32_t key;
    unsigned char rest[100];
};

template <class T, class... How>
void check_large(std::size_t n, const auto& sort, const How&... how) {
    std::vector<T> v(n);
    std::mt19937 random{3};
    for (T& x : v) {
        x.key = static_cast<std::uint32_t>(random() % 1000);
        for (unsigned char& c : x.rest) c = static_cast<unsigned char>(x.key);
    }
    sort(v, how...);
    EXPECT_TRUE(std::ranges::is_sorted(v, {}, &T::key));
    for (const T& x : v)
        for (const unsigned char c : x.rest) ASSERT_EQ(c, static_cast<unsigned char>(x.key));
}

TYPED_TEST(sorting, sorts_large_elements) {
    const auto less = [](const auto& a, const auto& b) { return a.key < b.key; };
    check_large<large>(3000, this->sort, less);
    check_large<larger>(3000, this->stable_sort, less);
}

// By radix, but for those that are larger than a line; 3,000 in one bucket, 20,000 in many.
TYPED_TEST(sorting, sorts_large_elements_by_key) {
    for (const std::size_t n : {std::size_t{3000}, std::size_t{20'000}}) {
        check_large<medium>(n, this->sort, std::less<>{}, &medium::key);
        check_large<large>(n, this->sort, std::less<>{}, &large::key);
        check_large<larger>(n, this->stable_sort, std::less<>{}, &larger::key);
    }
}

} // namespace
} // namespace algorithm_test
