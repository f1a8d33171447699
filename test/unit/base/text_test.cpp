// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using skerry::detail::fixed_text;
using skerry::detail::hex;

TEST(text, formats_each_kind) {
    fixed_text<200> text;
    text << "s" << ' ' << 42 << ' ' << -7 << ' ' << true << ' ' << hex{0xbeef} << ' '
         << static_cast<const char*>(nullptr) << ' ' << static_cast<const void*>(nullptr);
    EXPECT_EQ(text.view(), "s 42 -7 true 0xbeef (null) 0x0");
}

TEST(text, formats_the_extremes) {
    fixed_text<100> text;
    text << std::numeric_limits<std::int64_t>::min() << ' ' << std::numeric_limits<std::uint64_t>::max() << ' ' << 0;
    EXPECT_EQ(text.view(), "-9223372036854775808 18446744073709551615 0");
}

TEST(text, cuts_off_what_does_not_fit) {
    fixed_text<4> text;
    text << 123456;
    EXPECT_EQ(text.view(), "1234");
    EXPECT_STREQ(text.c_str(), "1234");
    text << "more";
    EXPECT_EQ(text.view(), "1234");
}

RC_GTEST_PROP(text, agrees_with_the_library, (std::int64_t a, std::uint32_t b, std::int8_t c)) {
    fixed_text<100> text;
    text << a << ' ' << b << ' ' << c;
    RC_ASSERT(std::string(text.view()) == std::to_string(a) + ' ' + std::to_string(b) + ' ' + std::to_string(c));
}

} // namespace
