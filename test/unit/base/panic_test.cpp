// SPDX-License-Identifier: Apache-2.0
#include "base/panic.hpp"

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

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

TEST(panic, threads_that_end_together_say_one_thing) {
    for (int round = 0; round < 20; ++round) {
        const auto child = run_in_child([]() -> int {
            std::atomic<int> ready{0};
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i) {
                threads.emplace_back([&ready] {
                    ++ready;
                    while (ready < 4) {
                        std::this_thread::yield();
                    }
                    skerry::detail::fatal("no such thing");
                });
            }
            for (std::thread& t : threads) {
                t.join();
            }
            return 0;
        });
        EXPECT_EQ(child.code, SIGABRT);
        EXPECT_EQ(child.output, "skerry: no such thing\n");
    }
}

} // namespace
