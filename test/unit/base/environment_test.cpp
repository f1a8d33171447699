// SPDX-License-Identifier: Apache-2.0
#include "base/port/environment.hpp"

#include <array>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace skerry::port;
using testing::Eq;

template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "no error";
}

TEST(environment, empty_is_not_set) {
    ::setenv("SKERRY_TEST", "x y", 1);
    EXPECT_EQ(environment("SKERRY_TEST"), "x y");
    ::setenv("SKERRY_TEST", "", 1);
    EXPECT_EQ(environment("SKERRY_TEST"), std::nullopt);
    ::unsetenv("SKERRY_TEST");
    EXPECT_EQ(environment("SKERRY_TEST"), std::nullopt);
}

TEST(environment, whole_numbers) {
    EXPECT_EQ(parse_whole("S", "1", 1, 1024), 1U);
    EXPECT_EQ(parse_whole("S", "1024", 1, 1024), 1024U);
    EXPECT_EQ(parse_whole("S", "18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
    for (const char* const bad : {"abc", "0", "1025", "-1", "+1", "1.5", " 1", "1 ", "0x1", "18446744073709551616"}) {
        EXPECT_THAT(
            error_of([&] { parse_whole("SKERRY_WORKERS", bad, 1, 1024); }),
            Eq("SKERRY_WORKERS=" + std::string(bad) + ": not understood; a whole number from 1 to 1024 is accepted"));
    }
}

TEST(environment, numbers_and_times_with_units) {
    EXPECT_EQ(parse_number("S", "0.25", 0, 1), 0.25);
    EXPECT_EQ(parse_number("S", "1", 0, 1), 1);
    for (const char* const bad : {"0", "1.01", "-1", "nan", "inf", "fast", "", "1x"}) {
        EXPECT_THAT(error_of([&] { parse_number("speed", bad, 0, 1); }),
                    Eq("speed=" + std::string(bad) + ": not understood; a number above 0, at most 1 is accepted"));
    }
    EXPECT_EQ(parse_time("S", "50us", 10'000'000'000), 50'000U);
    EXPECT_EQ(parse_time("S", "2MS", 10'000'000'000), 2'000'000U);
    EXPECT_EQ(parse_time("S", "10s", 10'000'000'000), 10'000'000'000U);
    for (const char* const bad : {"5", "11s", "1.5ms", "-1s", "s", "", "18446744073709551615s"}) {
        EXPECT_THAT(error_of([&] { parse_time("latency", bad, 10'000'000'000); }),
                    Eq("latency=" + std::string(bad) +
                       ": not understood; a whole number with a unit (us, ms, s), up to 10s is accepted"));
    }
}

RC_GTEST_PROP(environment, whole_numbers_round_trip, (std::uint64_t n)) {
    RC_ASSERT(parse_whole("S", std::to_string(n), 0, UINT64_MAX) == n);
}

TEST(environment, bytes) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(parse_bytes("S", "65536", 0, most), 65536U);
    EXPECT_EQ(parse_bytes("S", "64K", 0, most), 65536U);
    EXPECT_EQ(parse_bytes("S", "64kb", 0, most), 65536U);
    EXPECT_EQ(parse_bytes("S", "64KiB", 0, most), 65536U);
    EXPECT_EQ(parse_bytes("S", "8M", 0, most), std::size_t{8} << 20U);
    EXPECT_EQ(parse_bytes("S", "3g", 0, most), std::size_t{3} << 30U);
    EXPECT_EQ(parse_bytes("S", "1T", 0, most), std::size_t{1} << 40U);
    EXPECT_EQ(parse_bytes("S", "12b", 0, most), 12U);
    for (const char* const bad : {"", "M", "8 M", "8X", "8MM", "-8M", "64K", "2G", "99999999999T", "8ib"}) {
        EXPECT_THAT(error_of([&] { parse_bytes("SKERRY_STACK_SIZE", bad, 128 * 1024, std::size_t{1} << 30U); }),
                    Eq("SKERRY_STACK_SIZE=" + std::string(bad) +
                       ": not understood; a number of bytes from 128K to 1G (units K, M, G) is accepted"));
    }
}

TEST(environment, seconds) {
    EXPECT_EQ(parse_seconds("S", "0.5", 10), 0.5);
    EXPECT_EQ(parse_seconds("S", "10", 10), 10);
    for (const char* const bad : {"x", "-1", "-0", "11", "inf", "nan", "1s"}) {
        EXPECT_THAT(error_of([&] { parse_seconds("SKERRY_WATCHDOG", bad, 10); }),
                    Eq("SKERRY_WATCHDOG=" + std::string(bad) +
                       ": not understood; a number of seconds from 0 to 10 is accepted"));
    }
}

TEST(environment, switches) {
    for (const char* const yes : {"1", "true", "YES", "On"}) {
        EXPECT_TRUE(parse_switch("S", yes));
    }
    for (const char* const no : {"0", "false", "No", "off"}) {
        EXPECT_FALSE(parse_switch("S", no));
    }
    EXPECT_THAT(error_of([] { parse_switch("SKERRY_PIN", "maybe"); }),
                Eq("SKERRY_PIN=maybe: not understood; 1, true, yes, on, 0, false, no or off is accepted"));
}

TEST(environment, choices) {
    constexpr std::array<std::string_view, 3> words = {"automatic", "locked", "membarrier"};
    EXPECT_EQ(parse_choice("S", "Locked", words), 1U);
    EXPECT_THAT(error_of([&] { parse_choice("SKERRY_STEAL", "lock", words); }),
                Eq("SKERRY_STEAL=lock: not understood; automatic, locked or membarrier is accepted"));
}

} // namespace
