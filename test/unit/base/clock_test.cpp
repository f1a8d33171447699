// SPDX-License-Identifier: Apache-2.0
#include "base/port/clock.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/port/cpu.hpp"

namespace {

using namespace skerry::port;

TEST(clock, never_runs_backwards) {
    std::uint64_t ns = now_ns();
    std::uint64_t t = ticks();
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t next_ns = now_ns();
        const std::uint64_t next_t = ticks();
        ASSERT_GE(next_ns, ns);
        ASSERT_GE(next_t, t);
        ns = next_ns;
        t = next_t;
    }
    EXPECT_GT(t, 0U);
}

// A preemption between two reads spoils one attempt, a wrong rate spoils all of them.
TEST(clock, rate_agrees_with_nanoseconds) {
    const double rate = ticks_per_second();
    double best = INFINITY;
    for (int attempt = 0; attempt < 200 && best > 0.01; ++attempt) {
        const std::uint64_t first_ns = now_ns();
        const std::uint64_t first = ticks();
        while (now_ns() - first_ns < 5'000'000) {
            skerry::port::pause();
        }
        const std::uint64_t last_ns = now_ns();
        const double seconds = static_cast<double>(last_ns - first_ns) * 1e-9;
        best = std::min(best, std::abs(static_cast<double>(ticks() - first) / seconds / rate - 1));
    }
    EXPECT_LE(best, 0.01);
}

TEST(clock, rate_is_measured_once) { EXPECT_EQ(ticks_per_second(), ticks_per_second()); }

} // namespace
