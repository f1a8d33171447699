// SPDX-License-Identifier: Apache-2.0
#include "digits/kernel.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace {

namespace digits = apps::digits;

constexpr unsigned greatest_distance = digits::pixel_count * digits::darkest * digits::darkest;

TEST(likeness, is_the_power_of_two_for_every_distance) {
    for (unsigned d = 0; d <= greatest_distance; ++d) {
        const double expected = std::exp2(-static_cast<double>(d) / digits::half_distance);
        ASSERT_NEAR(digits::likeness(d) / expected, 1.0, 2.5e-15) << d;
    }
}

TEST(likeness, is_exact_where_a_power_of_two_is) {
    static_assert(digits::likeness(0) == 1.0);
    static_assert(digits::likeness(digits::half_distance) == 0.5);
    static_assert(digits::likeness(3 * digits::half_distance) == 0.125);
}

TEST(likeness, falls_with_the_distance) {
    for (unsigned d = 0; d < greatest_distance; ++d) {
        ASSERT_GT(digits::likeness(d), digits::likeness(d + 1)) << d;
    }
}

TEST(distance, is_the_sum_of_squares) {
    digits::image x{};
    digits::image y{};
    EXPECT_EQ(digits::distance(x, y), 0U);
    x.pixels[0] = 16;
    y.pixels[63] = 3;
    EXPECT_EQ(digits::distance(x, y), 256U + 9U);
    x.pixels.fill(digits::darkest);
    y.pixels.fill(0);
    EXPECT_EQ(digits::distance(x, y), greatest_distance);
    EXPECT_EQ(digits::distance(y, x), greatest_distance);
}

} // namespace
