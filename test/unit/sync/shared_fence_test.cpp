// SPDX-License-Identifier: Apache-2.0

// How many fences are made, and who waits for them. What they order is checked in test/model.

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/detail/sync/native.hpp>

#include "../until.hpp"
#include "sync/shared_fence.hpp"

namespace {

using fence_of = skerry::detail::heavy_fence;

// A machine whose heavy fences last as long as a test wants, and may be refused.
struct slow {
    template <class T>
    using atomic = skerry::detail::atomic<T>;
    static constexpr int fence_spins = 1'000'000'000;
    static fence_of heavy_fence() { return make(); }
    static inline std::function<fence_of()> make;
};
struct impatient : slow {
    static constexpr int fence_spins = 10;
};

TEST(SharedFence, SixteenWhoAskAtOnceNeedTwo) {
    constexpr unsigned threads = 16;
    skerry::detail::shared_fence<slow> fence;
    std::array<std::atomic<unsigned>, threads> looks{};
    std::atomic<unsigned> made{0};
    std::atomic<unsigned> served{0};
    slow::make = [&] {
        ++made;
        // Until everybody else who is not served has looked at this one, so that nobody misses it.
        std::array<unsigned, threads> before{};
        for (unsigned i = 0; i < threads; ++i) {
            before[i] = looks[i];
        }
        for (;;) {
            unsigned seen = 0;
            for (unsigned i = 0; i < threads; ++i) {
                seen += looks[i] >= before[i] + 2 ? 1U : 0U;
            }
            if (seen + 1 + served >= threads) {
                return fence_of::passed;
            }
            std::this_thread::yield();
        }
    };
    std::vector<std::thread> crew;
    for (unsigned i = 0; i < threads; ++i) {
        crew.emplace_back([&, i] {
            const fence_of made_for_it = fence.pass([&] {
                ++looks[i];
                std::this_thread::yield();
                return true;
            });
            served += made_for_it == fence_of::passed ? 1U : 0U;
        });
    }
    for (std::thread& t : crew) {
        t.join();
    }
    EXPECT_EQ(served, threads);
    EXPECT_EQ(made, 2U);
}

TEST(SharedFence, WhoNeedsItNoLongerGoesOn) {
    skerry::detail::shared_fence<slow> fence;
    std::atomic<bool> under_way{false};
    std::atomic<bool> may_end{false};
    slow::make = [&] {
        under_way = true;
        until(may_end);
        return fence_of::passed;
    };
    std::thread leader([&] { EXPECT_EQ(fence.pass([] { return true; }), fence_of::passed); });
    until(under_way);
    int looks = 0;
    EXPECT_EQ(fence.pass([&] { return ++looks < 3; }), fence_of::in_flight);
    EXPECT_EQ(looks, 3);
    may_end = true;
    leader.join();
}

TEST(SharedFence, WhileAnotherIsInFlightItIsTriedAgain) {
    skerry::detail::shared_fence<impatient> fence;
    int made = 0;
    slow::make = [&] { return ++made == 3 ? fence_of::passed : fence_of::in_flight; };
    EXPECT_EQ(fence.pass([] { return true; }), fence_of::passed);
    EXPECT_EQ(made, 3);
    slow::make = [&] {
        ++made;
        return fence_of::in_flight;
    };
    EXPECT_EQ(fence.pass([] { return true; }), fence_of::in_flight) << "without end";
    EXPECT_EQ(made, 3 + impatient::fence_spins);
    slow::make = [] { return fence_of::passed; };
    EXPECT_EQ(fence.pass([] { return true; }), fence_of::passed);
}

// By a sandbox that was closed when the program ran already.
TEST(SharedFence, OneThatTheSystemRefusesIsNotTriedAgain) {
    skerry::detail::shared_fence<slow> fence;
    int made = 0;
    slow::make = [&] {
        ++made;
        return fence_of::refused;
    };
    EXPECT_EQ(fence.pass([] { return true; }), fence_of::refused);
    EXPECT_EQ(made, 1);
    slow::make = [] { return fence_of::passed; };
    EXPECT_EQ(fence.pass([] { return true; }), fence_of::passed) << "it was taken back";
}

} // namespace
