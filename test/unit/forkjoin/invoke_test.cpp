// SPDX-License-Identifier: Apache-2.0

// What the branches of parallel_invoke hand to its caller, also from a thief.

#include <atomic>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>

#include "../until.hpp"
#include "workers.hpp"

namespace {

using skerry::parallel_invoke;

// Counts those that have not ended.
struct failure {
    explicit failure(int& n) : alive(&n) { ++*alive; }
    failure(const failure& other) : alive(other.alive) { ++*alive; }
    failure& operator=(const failure&) = delete;
    ~failure() { --*alive; }
    int* alive;
};

TEST(ParallelInvoke, AReferenceStaysAReferenceInEachPlace) {
    int x = 1;
    const std::string y = "y";
    const auto first = [&x]() -> int& { return x; };
    const auto second = [&y]() -> const std::string& { return y; };
    auto forth = parallel_invoke(first, second);
    auto back = parallel_invoke(second, first);
    auto three = parallel_invoke(second, first, second);
    static_assert(std::is_same_v<decltype(forth), std::tuple<int&, const std::string&>>);
    static_assert(std::is_same_v<decltype(back), std::tuple<const std::string&, int&>>);
    static_assert(std::is_same_v<decltype(three), std::tuple<const std::string&, int&, const std::string&>>);
    EXPECT_EQ(&std::get<0>(forth), &x);
    EXPECT_EQ(&std::get<1>(forth), &y);
    EXPECT_EQ(&std::get<0>(back), &y);
    EXPECT_EQ(&std::get<1>(back), &x);
    EXPECT_EQ(&std::get<0>(three), &y);
    EXPECT_EQ(&std::get<1>(three), &x);
    EXPECT_EQ(&std::get<2>(three), &y);
}

TEST(ParallelInvoke, ABranchWithoutResultBesideOneWithIsAMonostate) {
    const auto nothing = [] {};
    const auto number = [] { return 2; };
    static_assert(std::is_same_v<decltype(parallel_invoke(nothing, number)), std::tuple<std::monostate, int>>);
    static_assert(std::is_same_v<decltype(parallel_invoke(number, nothing)), std::tuple<int, std::monostate>>);
    static_assert(std::is_void_v<decltype(parallel_invoke(nothing, nothing))>);
    static_assert(std::is_void_v<decltype(parallel_invoke(nothing, nothing, nothing))>);
    EXPECT_EQ(std::get<1>(parallel_invoke(nothing, number)), 2);
}

// A fork passes closures on in registers if they fit there.
TEST(ParallelInvoke, ClosuresOfEverySizeArriveWhole) {
    std::size_t a = 1;
    std::size_t b = 2;
    const std::string c = "c";
    const auto none = [] { return std::size_t{10}; };
    const auto narrow = [x = 'x'] { return x == 'x' ? std::size_t{11} : 0; };
    const auto one = [&a] { return 11 + a; };
    const auto uneven = [&b, x = 'x'] { return x == 'x' ? 11 + b : 0; };
    const auto two = [&a, &c] { return 12 + a + c.size(); };
    const auto three = [&a, &b, &c] { return 11 + a + b + c.size(); };
    const auto large = [a, b, c, x = 12] { return static_cast<std::size_t>(x) + a + b + c.size(); };
    const auto each = [](const auto& f, const auto&... with) {
        (..., [&] {
            const std::tuple expected(f(), with());
            auto f1 = f;
            auto with1 = with;
            EXPECT_EQ(parallel_invoke(f, with), expected);
            EXPECT_EQ(parallel_invoke(std::move(f1), std::move(with1)), expected);
        }());
    };
    each(none, none, narrow, one, uneven, two, three, large);
    each(narrow, none, narrow, one, uneven, two, three, large);
    each(one, none, narrow, one, uneven, two, three, large);
    each(uneven, none, narrow, one, uneven, two, three, large);
    each(two, none, narrow, one, uneven, two, three, large);
    each(three, none, narrow, one, uneven, two, three, large);
    each(large, none, narrow, one, uneven, two, three, large);
}

TEST(ParallelInvoke, AThiefHandsOverResultReferenceAndException) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        std::atomic<bool> taken = false;
        const auto wait = [&taken] {
            until(taken);
            taken = false;
        };
        const auto text = parallel_invoke(wait, [&taken] {
            taken = true;
            return std::string(100, 'x');
        });
        EXPECT_EQ(std::get<1>(text), std::string(100, 'x'));

        int x = 1;
        const auto reference = parallel_invoke(wait, [&]() -> int& {
            taken = true;
            return x;
        });
        EXPECT_EQ(&std::get<1>(reference), &x);

        int alive = 0;
        bool caught = false;
        try {
            parallel_invoke(wait, [&] {
                taken = true;
                throw failure(alive);
            });
        } catch (const failure&) {
            caught = true;
            EXPECT_EQ(alive, 1);
        }
        EXPECT_TRUE(caught);
        EXPECT_EQ(alive, 0);
    });
}

TEST(ParallelInvoke, WhatAThiefLeavesBehindALeftExceptionIsDropped) {
    skerry::runtime rt(OnWorkers::with(2));
    rt.run([] {
        std::atomic<bool> taken = false;
        int alive = 0;
        const auto left = [&taken] {
            until(taken);
            taken = false;
            throw 1;
        };
        EXPECT_THROW(parallel_invoke(left,
                                     [&] {
                                         taken = true;
                                         throw failure(alive);
                                     }),
                     int);
        EXPECT_EQ(alive, 0);
        EXPECT_THROW(parallel_invoke(left,
                                     [&] {
                                         taken = true;
                                         return failure(alive);
                                     }),
                     int);
        EXPECT_EQ(alive, 0);
    });
}

} // namespace
