// SPDX-License-Identifier: Apache-2.0

// The policy of loops on two sides, simulated: no thread, no clock.

#include "sched/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using skerry::detail::rate;
using skerry::detail::size_class;
using skerry::detail::split;
using skerry::detail::split_chunk;
using skerry::detail::split_side;

struct outcome {
    double time = 0;
    std::array<std::uint64_t, 2> iterations{};
};

// Two sides that take what they are expected to take, and `known` of that beforehand.
outcome simulate(std::uint64_t n, const std::array<split_side, 2>& sides, const std::array<split_side, 2>& known) {
    split shares(n, known[split::low], known[split::high]);
    outcome end;
    struct running {
        split_chunk chunk;
        double begun = 0;
        double ends = 0;
        bool first = true;
        bool waits = false; // it got nothing, but may get something when the other has ended
    };
    std::array<running, 2> now{};
    std::vector<int> seen(n <= 4096 ? n : 0);
    const auto take = [&](std::size_t side, double time) {
        running& r = now[side];
        r.chunk = shares.take(side, time);
        r.waits = r.chunk.empty();
        if (!r.waits) {
            r.begun = time + (r.first ? sides[side].once : 0);
            r.ends = r.begun + sides[side].chunk + static_cast<double>(r.chunk.size()) * sides[side].iteration;
            r.first = false;
            end.iterations[side] += r.chunk.size();
            for (std::uint64_t k = r.chunk.first; k < r.chunk.last && k < seen.size(); ++k) {
                ++seen[k];
            }
        }
    };
    take(split::high, 0);
    take(split::low, 0);
    while (!now[0].waits || !now[1].waits) {
        const std::size_t side = now[0].waits ? 1 : now[1].waits ? 0 : now[0].ends <= now[1].ends ? 0 : 1;
        const double time = now[side].ends;
        end.time = std::max(end.time, time);
        shares.ended(side, time - now[side].begun);
        take(side, time);
        if (now[1 - side].waits) {
            take(1 - side, time);
        }
    }
    EXPECT_EQ(end.iterations[0] + end.iterations[1], n);
    EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    return end;
}

double alone(std::uint64_t n, const split_side& side) {
    return side.once + side.chunk + static_cast<double>(n) * side.iteration;
}

class random_case {
  public:
    explicit random_case(unsigned seed) : source_(seed) {
        const double iteration = logarithmic(1, 1e5);
        const double ratio = logarithmic(1.0 / 64, 64);
        n = static_cast<std::uint64_t>(logarithmic(1, 1e6));
        sides[split::low] = {iteration, logarithmic(1e3, 1e7), 0};
        sides[split::high] = {iteration * ratio, logarithmic(1e3, 1e7), logarithmic(1, 1e6)};
    }

    std::uint64_t n = 0;
    std::array<split_side, 2> sides;

  private:
    double logarithmic(double least, double most) {
        std::uniform_real_distribution<double> exponent(std::log(least), std::log(most));
        return std::exp(exponent(source_));
    }
    std::mt19937 source_;
};

TEST(Split, WarmIsNotSlowerThanTheBetterSideAlone) {
    int slower = 0;
    double worst = 0;
    std::string which;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        const random_case c(seed);
        const outcome end = simulate(c.n, c.sides, c.sides);
        const double better = std::min(alone(c.n, c.sides[0]), alone(c.n, c.sides[1]));
        const double ratio = end.time / better;
        slower += ratio > 1.15 ? 1 : 0;
        if (ratio > worst) {
            worst = ratio;
            which = "case " + std::to_string(seed);
        }
    }
    EXPECT_LE(slower, 10) << "the worst is " << which << ": " << worst << " times the better side";
    std::printf("warm: %d of 1000 above 1.15; the worst is %s: %.3f\n", slower, which.c_str(), worst);
}

TEST(Split, SidesOfOneSpeedTakeHalfEach) {
    const split_side side{100, 1000, 0};
    const outcome end = simulate(1'000'000, {{side, side}}, {{side, side}});
    EXPECT_LT(end.time, 0.53 * alone(1'000'000, side));
    EXPECT_NEAR(static_cast<double>(end.iterations[split::low]), 500'000.0, 30'000.0);
}

TEST(Split, NothingIsKnownAndAllIsRun) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const random_case c(seed);
        simulate(c.n, c.sides, {});
        simulate(c.n, c.sides, {{c.sides[0], {}}});
        simulate(c.n, c.sides, {{{}, c.sides[1]}});
    }
}

TEST(Split, ColdADeviceGetsAFirstChunk) {
    split shares(3200, {}, {});
    EXPECT_EQ(shares.take(split::high, 0).size(), 100U);
    EXPECT_EQ(shares.take(split::low, 0).first, 0U);
}

TEST(Split, ASideThatWouldEndLastTakesNothing) {
    split shares(100, {1, 0, 0}, {1, 1e9, 0});
    EXPECT_TRUE(shares.take(split::high, 0).empty());
    EXPECT_EQ(shares.take(split::low, 0).size(), 100U); // and the other has all of it
    EXPECT_TRUE(shares.take(split::low, 1).empty());
}

TEST(Split, OverheadIsAFiftiethOfAChunk) {
    split shares(1'000'000, {1, 0, 0}, {1, 1000, 0});
    while (true) {
        const split_chunk chunk = shares.take(split::high, 0);
        if (chunk.empty()) {
            break;
        }
        EXPECT_GE(chunk.size(), 49'000U);
        shares.ended(split::high, static_cast<double>(chunk.size()) + 1000);
    }
}

TEST(Split, WhatIsGivenBackIsTheOthers) {
    split shares(1000, {1, 0, 0}, {1, 0, 0});
    const split_chunk high = shares.take(split::high, 0);
    const split_chunk low = shares.take(split::low, 0);
    ASSERT_FALSE(high.empty());
    shares.give_back(split::high);
    shares.ended(split::low, static_cast<double>(low.size()));
    const split_chunk rest = shares.take(split::low, 1);
    EXPECT_EQ(rest.first, low.last);
    EXPECT_EQ(rest.last, 1000U);
    EXPECT_TRUE(shares.take(split::high, 1).empty());
}

TEST(Split, NothingIsHandedOutBehindAStop) {
    split shares(1000, {1, 0, 0}, {1, 0, 0});
    ASSERT_FALSE(shares.take(split::high, 0).empty());
    shares.stop();
    shares.give_back(split::high);
    EXPECT_TRUE(shares.take(split::low, 0).empty());
    EXPECT_TRUE(shares.take(split::high, 0).empty());
}

TEST(Rate, IsTheMedianOfFiveWithoutTheFirst) {
    rate r;
    EXPECT_EQ(r.median(), 0);
    r.add(1000);
    EXPECT_EQ(r.median(), 0);
    r.add(3);
    EXPECT_EQ(r.median(), 3);
    for (const double t : {1, 2, 100, 4}) {
        r.add(t);
    }
    EXPECT_EQ(r.median(), 3);
    for (const double t : {7, 7, 7}) {
        r.add(t);
    }
    EXPECT_EQ(r.median(), 7);
}

TEST(Rate, BelongsToAClassOfLengths) {
    EXPECT_EQ(size_class(1000), size_class(1023));
    EXPECT_NE(size_class(1023), size_class(1024));
}

} // namespace
