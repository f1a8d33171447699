// SPDX-License-Identifier: Apache-2.0
#include "executors.hpp"

#include <skerry/detail/frontend/algorithm/search.hpp>

#include <skerry/runtime.hpp>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace algorithm_test {
namespace {

using skerry::grain;

template <class Executor>
class search : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_find_if_function<Executor> find_if{};
    using quantifier = skerry::detail::quantifier;
    static constexpr skerry::detail::parallel_quantifier_function<Executor, quantifier::any> any_of{};
    static constexpr skerry::detail::parallel_quantifier_function<Executor, quantifier::all> all_of{};
    static constexpr skerry::detail::parallel_quantifier_function<Executor, quantifier::none> none_of{};
};

TYPED_TEST_SUITE(search, executors, executor_names);

TYPED_TEST(search, finds_the_first_match) {
    setting<TypeParam>::each([&](unsigned) {
        for (const std::size_t n : {0UL, 1UL, 2UL, 10UL, 100UL, 3000UL}) {
            std::vector<std::size_t> v(n);
            std::iota(v.begin(), v.end(), 0);
            for (const std::size_t from : {0UL, 1UL, 7UL, 50UL, 2990UL, 2999UL, 5000UL}) {
                for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(13), grain::fixed(10000)}) {
                    const auto at_least = [from](std::size_t x) { return x >= from; };
                    EXPECT_EQ(this->find_if(v, at_least, g) - v.begin(), std::ptrdiff_t(std::min(from, n)));
                    EXPECT_EQ(this->find_if(v.begin(), v.end(), at_least, g), std::ranges::find_if(v, at_least));
                }
            }
        }
    });
}

TYPED_TEST(search, agrees_with_std) {
    setting<TypeParam>::each([&](unsigned) {
        EXPECT_TRUE(rc::check("find_if, any_of, all_of, none_of equal std's", [&] {
            const auto v = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
            const auto wanted = *rc::gen::inRange(0, 12);
            const auto is = [wanted](int x) { return x == wanted; };
            const auto is_not = [wanted](int x) { return x != wanted; };
            RC_ASSERT(this->find_if(v, is) == std::ranges::find_if(v, is));
            RC_ASSERT(this->any_of(v, is) == std::ranges::any_of(v, is));
            RC_ASSERT(this->all_of(v, is_not) == std::ranges::all_of(v, is_not));
            RC_ASSERT(this->none_of(v.begin(), v.end(), is) == std::ranges::none_of(v, is));
        }));
    });
}

TYPED_TEST(search, has_stds_answers_for_nothing) {
    setting<TypeParam>::each([&](unsigned) {
        const std::vector<int> none;
        const auto never = [](int) { return false; };
        EXPECT_EQ(this->find_if(none, never), none.end());
        EXPECT_FALSE(this->any_of(none, never));
        EXPECT_TRUE(this->all_of(none, never));
        EXPECT_TRUE(this->none_of(none, never));
    });
}

// Throws at 500; matches at 400 or at 600.
TYPED_TEST(search, has_the_serial_outcome_between_a_match_and_an_exception) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000);
        std::iota(v.begin(), v.end(), 0);
        for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(30), grain::fixed(700)}) {
            const auto match_first = [](int x) { return x == 500 ? throw x : x == 400; };
            const auto throw_first = [](int x) { return x == 500 ? throw x : x >= 600; };
            EXPECT_EQ(*this->find_if(v, match_first, g), 400);
            EXPECT_TRUE(this->any_of(v, match_first, g));
            int caught = 0;
            try {
                (void)this->find_if(v, throw_first, g);
            } catch (int x) {
                caught = x;
            }
            EXPECT_EQ(caught, 500);
        }
    });
}

// After a match at the front the owner tests nothing to its right, and each thief at most what it was looking at.
TYPED_TEST(search, stops_early) {
    setting<TypeParam>::each([&](unsigned workers) {
        if (std::is_same_v<TypeParam, shuffled>) return; // it begins at the right if it likes
        std::vector<int> v(1'000'000, 1);
        std::atomic<std::size_t> tests{0};
        EXPECT_TRUE(this->any_of(v, [&](const int& x) {
            ++tests;
            if (&x == v.data()) return true;
            // Elsewhere the answer waits for the match, so that a thief's share is bounded without a clock.
            while (!skerry::stop_requested()) std::this_thread::yield();
            return false;
        }));
        EXPECT_LE(tests, workers);
    });
}

} // namespace
} // namespace algorithm_test
