// SPDX-License-Identifier: Apache-2.0
#include "executors.hpp"

#include <skerry/detail/frontend/algorithm/filter.hpp>
#include <skerry/detail/frontend/algorithm/mapping.hpp>
#include <skerry/detail/frontend/algorithm/source_chain.hpp>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>

namespace algorithm_test {
namespace {

using skerry::grain;

template <class Executor>
class mapping : public testing::Test {
  public:
    static constexpr skerry::detail::parallel_for_each_function<Executor> for_each{};
    static constexpr skerry::detail::parallel_transform_function<Executor> transform{};
    static constexpr skerry::detail::parallel_copy_if_function<Executor> copy_if{};
};

TYPED_TEST_SUITE(mapping, executors, executor_names);

TYPED_TEST(mapping, calls_for_each_element) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(777);
        this->for_each(v, [](int& x) { ++x; });
        this->for_each(v.begin() + 1, v.end(), [](int& x) { ++x; }, grain::fixed(1));
        EXPECT_EQ(v[0], 1);
        EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 777 + 776);
    });
}

// Bits that share a word may be read by all, also where what hands them out could write them.
TYPED_TEST(mapping, reads_bits) {
    setting<TypeParam>::each([&](unsigned) {
        constexpr skerry::detail::parallel_for_function<TypeParam> loop{};
        std::vector<bool> bits(1'001);
        for (std::size_t i = 0; i < bits.size(); i += 3) bits[i] = true;
        const std::vector<bool>& constant = bits;
        std::atomic<int> seen{0};
        const auto count = [&seen](bool b) { seen += b ? 1 : 0; };
        const std::function<void(const bool&)> count_too = count;
        loop(bits, count, grain::fixed(7));
        loop(bits.begin(), bits.end(), count_too);
        loop(constant, [&](auto&& b) { count(b); });
        this->for_each(bits, count, grain::fixed(10));
        this->for_each(bits.cbegin(), bits.cend(), [&](const auto& b) { count(b); });
        this->for_each(bits | std::views::filter([](bool b) { return b; }), count);
        EXPECT_EQ(seen.load(), 6 * 334);
        std::vector<char> out(bits.size());
        this->transform(bits, out.begin(), [](bool b) { return b ? 'y' : 'n'; }, grain::fixed(10));
        EXPECT_EQ(std::ranges::count(out, 'y'), 334);
        EXPECT_EQ(this->copy_if(bits, out.begin(), [](bool b) { return b; }) - out.begin(), 334);
        this->transform(bits, out, out.begin(), [](const auto& b, char c) { return b ? c : 'n'; });
        std::vector<std::vector<bool>::iterator> places(9); // may be written, as iterators
        this->transform(std::views::iota(bits.begin(), bits.begin() + 9), places.begin(), [](auto it) { return it; });
        EXPECT_EQ(places.back() - bits.begin(), 8);
        this->for_each(std::views::iota(bits.cbegin(), bits.cend()), [&](auto it) { count(*it); });
        EXPECT_EQ(seen.load(), 7 * 334);
    });
}

// What has the operations of a bit, but its own bytes.
TYPED_TEST(mapping, writes_flags_of_the_program) {
    struct flag {
        explicit flag(bool b) : set(b) {}
        flag& operator=(bool b) {
            set = b;
            return *this;
        }
        operator bool() const { return set; } // NOLINT(google-explicit-constructor): as std::vector<bool>'s
        void flip() { set = !set; }
        bool set;
    };
    setting<TypeParam>::each([&](unsigned) {
        std::vector<flag> flags(1'001, flag(false));
        this->for_each(flags, [](auto& f) { f = true; }, grain::fixed(7));
        EXPECT_EQ(std::ranges::count(flags, true, &flag::set), 1'001);
    });
}

TYPED_TEST(mapping, transforms_as_std) {
    setting<TypeParam>::each([&](unsigned) {
        for (const grain g : {grain::automatic(), grain::fixed(1), grain::fixed(10)}) {
            std::vector<int> v(500);
            std::iota(v.begin(), v.end(), 0);
            std::vector<std::string> names(500);
            const auto name = [](int x) { return std::to_string(x); };
            EXPECT_EQ(this->transform(v, names.begin(), name, g), names.end());
            EXPECT_EQ(names[321], "321");
            std::deque<long> sums(600);
            const auto add = [](int a, const std::string& b) { return a + std::stol(b); };
            EXPECT_EQ(this->transform(v.begin(), v.end(), names.begin(), sums.begin(), add, g), sums.begin() + 500);
            EXPECT_EQ(sums[321], 642);
            EXPECT_EQ(sums[500], 0);
            this->transform(v, v, v.begin(), std::plus<>{}, g);
            EXPECT_EQ(v[100], 200);
            this->transform(v.begin(), v.end(), v.begin(), std::negate<>{}, g);
            EXPECT_EQ(v[100], -200);
        }
        std::vector<int> none;
        EXPECT_EQ(this->transform(none, none.begin(), std::negate<>{}), none.begin());
    });
}

TYPED_TEST(mapping, copies_as_std) {
    setting<TypeParam>::each([&](unsigned) {
        EXPECT_TRUE(rc::check("copy_if equals std's", [&] {
            const auto v = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100));
            const auto below = *rc::gen::inRange(0, 101);
            const auto length = *rc::gen::inRange(0, 300);
            const grain g = length == 0 ? grain::automatic() : grain::fixed(length);
            std::vector<int> big;
            for (int i = 0; i < 10; ++i) big.insert(big.end(), v.begin(), v.end());
            std::vector<int> expected;
            std::ranges::copy_if(big, std::back_inserter(expected), [&](int x) { return x < below; });
            std::vector<int> got(big.size());
            std::atomic<std::size_t> asked{0};
            const auto end = this->copy_if(
                big, got.begin(),
                [&](int x) {
                    ++asked;
                    return x < below;
                },
                g);
            got.erase(end, got.end());
            RC_ASSERT(got == expected);
            RC_ASSERT(asked == big.size());
        }));
    });
}

TYPED_TEST(mapping, lets_a_predicate_fail) {
    setting<TypeParam>::each([&](unsigned) {
        std::vector<int> v(1000);
        std::iota(v.begin(), v.end(), 0);
        std::vector<int> out(1000);
        int caught = 0;
        try {
            this->copy_if(v.begin(), v.end(), out.begin(), [](int x) { return x % 400 == 399 ? throw x : true; });
        } catch (int x) {
            caught = x;
        }
        EXPECT_EQ(caught, 399);
    });
}

} // namespace
} // namespace algorithm_test
