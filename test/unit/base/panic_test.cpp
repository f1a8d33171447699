// SPDX-License-Identifier: Apache-2.0
#include "base/panic.hpp"

#include <csignal>
#include <string>

#include <gmock/gmock.h>

#include "child.hpp"

namespace {

using skerry_test::run_in_child;
using testing::HasSubstr;
using testing::StartsWith;

TEST(panic, says_where_and_with_what_state) {
    const auto child = run_in_child([]() -> int { skerry::detail::panic("top ", 5, " is above bottom ", -1); });
    EXPECT_FALSE(child.exited);
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_THAT(child.output, StartsWith("skerry: internal error: top 5 is above bottom -1 ["));
    EXPECT_THAT(child.output, HasSubstr("panic_test.cpp:"));
    EXPECT_THAT(child.output, HasSubstr("please report it\n"));
}

TEST(panic, fatal_says_what_only) {
    const auto child = run_in_child([]() -> int { skerry::detail::fatal("no ", "such thing"); });
    EXPECT_FALSE(child.exited);
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_EQ(child.output, "skerry: no such thing\n");
}

TEST(panic, long_text_is_cut) {
    const std::string text(5000, 'x');
    const auto child = run_in_child([&]() -> int { skerry::detail::fatal("", text); });
    EXPECT_EQ(child.code, SIGABRT);
    EXPECT_EQ(child.output, "skerry: " + std::string(1000, 'x') + "\n");
}

} // namespace
