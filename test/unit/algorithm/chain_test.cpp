// SPDX-License-Identifier: Apache-2.0

// Chains of leaves (leaf_chain.hpp): which operations have them, what thieves take out of them, and what exceptions
// leave behind.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/runtime.hpp>

#include "../until.hpp"
#include "taken_rest.hpp"
#include "two_workers.hpp"

namespace {

using skerry::grain;

constexpr std::size_t chain = skerry::detail::chain_length;

template <class T, class Op, class Leaf>
T fold(std::size_t n, T init, Op op, const Leaf& leaf) {
    return skerry::parallel_transform_reduce(std::views::iota(std::size_t{0}, n), init, op, leaf, grain::fixed(1));
}
std::uint64_t sum(std::size_t n, const std::function<std::uint64_t(std::size_t)>& leaf) {
    return fold(n, std::uint64_t{0}, std::plus<>(), leaf);
}

using taken_rest::sum_below;

class Chain : public OnTwoWorkers {};

TEST_P(Chain, AThiefTakesTheRest) {
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, chain - 1, chain, chain + 1, 5 * chain + 3}) {
        in([n] { taken_rest::is_taken(sum, n); });
    }
}
TEST_P(Chain, WhoWaitsForTheRestTakesHalfOfItBack) {
    in([] { taken_rest::is_taken_back_in_part(sum, chain); });
}
TEST_P(Chain, ATheftInTheMiddle) {
    in([] { taken_rest::is_taken_in_the_middle(sum, chain); });
}
TEST_P(Chain, AThiefTakesAnEmptyRest) { // if it has not taken that of the first leaf; under locks there is none
    const bool locked = GetParam() == skerry::steal_mode::locked || !skerry::describe_machine().membarrier;
    const unsigned rounds = locked ? 0 : 20;
    in([&] { EXPECT_EQ(taken_rest::is_taken_though_empty(sum, 2, [this] { return steals(); }), rounds); });
}
TEST_P(Chain, TheExceptionOfATakenRestArrives) {
    in([] { taken_rest::throws(sum, chain); });
}
TEST_P(Chain, LeavesMaySpawn) {
    in([] { taken_rest::lies_below_what_leaves_begin(sum, 4 * chain); });
}
TEST_P(Chain, ChainsGrowTheDeque) {
    in([] { taken_rest::lies_in_a_deque_that_grows(sum); });
}
TEST(ChainOnOneWorker, AnExceptionLeavesOutWhatHasNotBegun) {
    skerry::options o;
    o.workers = 1;
    skerry::runtime(o).run([] { taken_rest::is_left_out(sum, chain); });
}

// A thief has the rest when a leaf throws: it is awaited, and its own exception, which is not the leftmost, dropped.
TEST_P(Chain, AnExceptionBesideATakenRest) {
    in([] {
        std::atomic<bool> taken = false;
        std::atomic<bool> thrown = false;
        std::atomic<bool> ended = false;
        const auto leaf = [&](std::size_t i) -> std::uint64_t {
            if (i == 0) {
                until(taken);
                thrown = true;
                throw std::runtime_error("first");
            }
            taken = true;
            until(thrown);
            ended = true;
            throw std::runtime_error("rest");
        };
        try {
            sum(2, leaf);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
            EXPECT_STREQ(e.what(), "first");
        }
        EXPECT_TRUE(ended) << "the thief was not awaited";
    });
}

UNDER_BOTH_PROTOCOLS(Chain);

TEST(ChainFromOutside, AThreadWithoutASlotGetsOne) {
    EXPECT_EQ(sum(3 * chain, [](std::size_t i) { return i; }), sum_below(3 * chain));
}

// Nobody is asked, and no runtime begins: optimised, too.
TEST(ChainFromOutside, OneLeafNeedsNoRuntime) {
    const std::vector<std::uint64_t> one{5};
    bool inside = true;
    const auto leaf = [&inside](std::uint64_t x) {
        inside = skerry::detail::current_page != nullptr;
        return x;
    };
    EXPECT_EQ(skerry::parallel_transform_reduce(one, std::uint64_t{0}, std::plus<>(), leaf, grain::fixed(1)), 5U);
    EXPECT_FALSE(inside);
}

template <class Op, class T>
inline constexpr bool chained = skerry::detail::any_grouping<Op, T>;

TEST(ChainOperations, OnlyThoseThatCannotTellHowTheyAreGrouped) {
    EXPECT_TRUE((chained<std::plus<>, int>));
    EXPECT_TRUE((chained<std::plus<short>, short>));
    EXPECT_TRUE((chained<std::bit_and<>, unsigned>));
    EXPECT_FALSE((chained<std::plus<>, double>)) << "rounds";
    EXPECT_FALSE((chained<std::plus<>, bool>)) << "not modular";
    EXPECT_FALSE((chained<std::plus<char>, int>)) << "narrows its operands";
    EXPECT_FALSE((chained<std::minus<>, int>)) << "not associative";
    const auto own = [](int a, int b) { return a + b; };
    EXPECT_FALSE((chained<decltype(own), int>)) << "may look at its operands";
}

template <class T>
class ChainOf : public testing::Test {};
using integers = testing::Types<signed char, unsigned char, short, unsigned, std::uint64_t>;
TYPED_TEST_SUITE(ChainOf, integers);

// Against a loop, with operands that overflow what wraps.
TYPED_TEST(ChainOf, EveryOperation) {
    const auto check = [](auto op) {
        for (std::size_t n = 0; n != 3 * chain; ++n) {
            std::vector<TypeParam> v(n);
            for (std::size_t i = 0; i != n; ++i) {
                v[i] = static_cast<TypeParam>((i + 3) * 0x9e3779b97f4a7c15U >> 7 | 1);
            }
            const auto init = static_cast<TypeParam>(0x5a5a5a5a5a5a5a5bU);
            EXPECT_EQ(skerry::parallel_reduce(v, init, op, grain::fixed(1)),
                      std::accumulate(v.begin(), v.end(), init,
                                      [&](TypeParam a, TypeParam b) { return static_cast<TypeParam>(op(a, b)); }))
                << n;
        }
    };
    check(std::plus<>());
    check(std::multiplies<>());
    check(std::bit_and<>());
    check(std::bit_or<>());
    check(std::bit_xor<TypeParam>());
}

} // namespace
