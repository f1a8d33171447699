// SPDX-License-Identifier: Apache-2.0

// Blocked tasks do not hold up others. Proved without a clock: the tasks wait for each other, which ends only if enough
// threads stand in.

#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/blocking.hpp>
#include <skerry/finish.hpp>
#include <skerry/forkjoin.hpp>
#include <skerry/future.hpp>

#include "../base/meeting.hpp"
#include "workers.hpp"

namespace {

using skerry_test::meeting;

class Blocking : public OnWorkers {};
ON_ALL_WORKERS(Blocking);

TEST_P(Blocking, TasksThatWaitForEachOtherAllRun) {
    for (int round = 0; round < 3; ++round) {
        meeting m(80);
        in([&m] {
            skerry::finish([&m](skerry::scope& s) {
                for (int i = 0; i < 80; ++i) {
                    s.async([&m] { skerry::blocking([&m] { m.come(); }); });
                }
            });
        });
    }
    EXPECT_GE(rt().stats().threads_high_water, 79U);
}

TEST_P(Blocking, BranchesThatWaitForEachOtherAllRun) {
    meeting m(64);
    in([&m] {
        skerry::parallel_for(0, 64, [&m](int) { skerry::blocking([&m] { m.come(); }); }, skerry::grain::fixed(1));
    });
}

TEST_P(Blocking, ThePermitComesBack) {
    for (int round = 0; round < 20; ++round) { // the same threads stand in again
        meeting m(10);
        in([&m] {
            skerry::parallel_for(0, 10, [&m](int) { skerry::blocking([&m] { m.come(); }); }, skerry::grain::fixed(1));
            std::atomic<int> sum = 0;
            skerry::parallel_for(0, 1000, [&sum](int i) { sum += i; });
            EXPECT_EQ(sum, 499'500);
        });
    }
    EXPECT_LE(rt().stats().threads_high_water, GetParam() + 10U);
}

TEST_P(Blocking, ReturnsAndThrowsWhatTheCallDoes) {
    int x = 1;
    const auto check = [&x] {
        EXPECT_EQ(skerry::blocking([] { return 5; }), 5);
        EXPECT_EQ(&skerry::blocking([&x]() -> int& { return x; }), &x);
        EXPECT_THROW(skerry::blocking([] { throw std::runtime_error("call"); }), std::runtime_error);
        EXPECT_EQ(skerry::blocking([] { return skerry::blocking([] { return 6; }); }), 6);
    };
    in([&check] {
        check();
        EXPECT_EQ(skerry::blocking([] { return skerry::submit([] { return 7; }).get(); }), 7);
    });
    check(); // outside a region
}

TEST(BlockingBound, WithTheBoundReachedTheRestIsDoneLater) {
    for (const unsigned bound : {0U, 1U, 3U}) {
        skerry::options o = OnWorkers::with(2);
        o.blocking_threads = bound;
        skerry::runtime rt(o);
        std::atomic<int> ran = 0;
        rt.run([&ran] {
            skerry::finish([&ran](skerry::scope& s) {
                for (int i = 0; i < 1000; ++i) {
                    s.async([&ran] {
                        skerry::blocking([] { std::this_thread::yield(); });
                        ++ran;
                    });
                }
            });
        });
        EXPECT_EQ(ran, 1000);
        EXPECT_LE(rt.stats().threads_high_water, 1 + bound);
        const int all = static_cast<int>(2 + bound); // so many at a time, no more and no fewer
        meeting m(all);
        rt.run([&m, all] {
            skerry::finish([&m, all](skerry::scope& s) {
                for (int i = 0; i < all; ++i) {
                    s.async([&m] { skerry::blocking([&m] { m.come(); }); });
                }
            });
        });
    }
}

} // namespace
