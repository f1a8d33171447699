// SPDX-License-Identifier: Apache-2.0
#include "base/port/futex.hpp"

#include <atomic>
#include <cerrno>
#include <climits>

#include <gtest/gtest.h>

#include "base/port/clock.hpp"
#include "base/port/thread.hpp"

namespace {

using namespace skerry::port;

TEST(futex, wait_returns_when_the_word_differs) {
    const std::atomic<std::uint32_t> word = 1;
    EXPECT_TRUE(futex_wait(&word, 0));
}

TEST(futex, wait_ends_with_its_time) {
    const std::atomic<std::uint32_t> word = 0;
    const std::uint64_t begin = now_ns();
    while (futex_wait(&word, 0, 3'000'000)) {
    }
    EXPECT_GE(now_ns() - begin, 3'000'000U);
    EXPECT_FALSE(futex_wait(&word, 0, 0));
}

TEST(futex, leaves_errno_alone) {
    std::atomic<std::uint32_t> word = 1;
    errno = EXDEV;
    futex_wait(&word, 0);
    futex_wait(&word, 1, 0);
    futex_wake(&word, 1);
    EXPECT_EQ(errno, EXDEV);
}

// Two threads hand one word to and fro; each turn sleeps until the other has had its own.
TEST(futex, no_lost_wakeup) {
    static constexpr std::uint32_t turns = 2'000;
    std::atomic<std::uint32_t> word = 0;
    const auto play = [](std::atomic<std::uint32_t>& w, std::uint32_t first) {
        for (std::uint32_t turn = first; turn < turns; turn += 2) {
            for (std::uint32_t seen = 0; (seen = w.load()) != turn;) {
                futex_wait(&w, seen);
            }
            w.store(turn + 1);
            futex_wake(&w, INT_MAX);
        }
    };
    static constexpr auto second_player = play;
    thread other;
    other.start(
        256 * 1024, "second", [](void* w) { second_player(*static_cast<std::atomic<std::uint32_t>*>(w), 1); }, &word);
    play(word, 0);
    other.join();
    EXPECT_EQ(word.load(), turns);
}

} // namespace
