// SPDX-License-Identifier: Apache-2.0

// Random trees through fork and join, on 1 to 64 workers and from many threads at once. Every walk's value, or the
// leftmost exception, must be the serial one. SKERRY_STRESS_SECONDS is the time for each test (default 1);
// SKERRY_STRESS_SEED repeats a run.

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/runtime.hpp>

#include "stress_time.hpp"
#include "tree.hpp"

namespace {

using namespace skerry_test;

class ForkJoinStress : public testing::TestWithParam<unsigned> {
  protected:
    static skerry::options with(unsigned workers) {
        skerry::options o = skerry::options::from_environment();
        o.workers = workers;
        return o;
    }
};

TEST_P(ForkJoinStress, ValuesAreTheSerialOnes) {
    skerry::runtime rt(with(GetParam()));
    const until time;
    std::uint64_t seed = first_seed();
    do {
        const tree_shape shape{.depth = 4 + static_cast<unsigned>(seed % 10)};
        const auto expected = walk_serially(shape, seed % 100000);
        ASSERT_EQ(rt.run([&] { return walk_forking(shape, seed % 100000); }), expected) << "seed " << seed;
        seed = mix(seed);
    } while (!time.over());
}

TEST_P(ForkJoinStress, TheLeftmostExceptionArrives) {
    skerry::runtime rt(with(GetParam()));
    const until time;
    std::uint64_t seed = first_seed();
    unsigned failures = 0;
    do {
        const tree_shape shape{.depth = 3 + static_cast<unsigned>(seed % 8), .throw_one_in = 60};
        const auto expected = outcome_of([&] { return walk_serially(shape, seed % 100000); });
        failures += expected.failed ? 1 : 0;
        ASSERT_EQ(outcome_of([&] { return rt.run([&] { return walk_forking(shape, seed % 100000); }); }), expected)
            << "seed " << seed;
        seed = mix(seed);
    } while (!time.over() || failures == 0);
}

TEST_P(ForkJoinStress, ManyForeignThreads) {
    skerry::runtime rt(with(GetParam()));
    const until time;
    const std::uint64_t seed = first_seed();
    std::vector<std::thread> threads;
    std::vector<std::uint64_t> wrong(8);
    for (std::size_t t = 0; t < wrong.size(); ++t) {
        threads.emplace_back([&, t] {
            std::uint64_t own = mix(seed + t);
            do {
                const tree_shape shape{.depth = 2 + static_cast<unsigned>(own % 9), .throw_one_in = 300};
                const auto expected = outcome_of([&] { return walk_serially(shape, own % 100000); });
                if (outcome_of([&] { return rt.run([&] { return walk_forking(shape, own % 100000); }); }) != expected) {
                    wrong[t] = own;
                }
                own = mix(own);
            } while (!time.over() && wrong[t] == 0);
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    EXPECT_EQ(wrong, std::vector<std::uint64_t>(wrong.size()));
}

TEST_P(ForkJoinStress, RuntimesComeAndGo) {
    const until time;
    std::uint64_t seed = first_seed();
    do {
        skerry::runtime rt(with(GetParam()));
        const tree_shape shape{.depth = 6};
        ASSERT_EQ(rt.run([&] { return walk_forking(shape, seed % 1000); }), walk_serially(shape, seed % 1000));
        seed = mix(seed);
    } while (!time.over());
}

INSTANTIATE_TEST_SUITE_P(Workers, ForkJoinStress, testing::Values(1U, 2U, 3U, 8U, 64U),
                         [](const auto& given) { return std::to_string(given.param); });

} // namespace
