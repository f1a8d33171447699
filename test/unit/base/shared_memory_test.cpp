// SPDX-License-Identifier: Apache-2.0
#include "base/port/shared_memory.hpp"

#include <atomic>
#include <new>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/port/futex.hpp"
#include "child.hpp"

namespace {

using namespace skerry::port;

constexpr std::size_t bytes = 8192;

struct shared {
    int descriptor = make_shared_memory("skerry-test", bytes);
    void* begin = map_shared(descriptor, bytes);
    shared() = default;
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;
    ~shared() {
        unmap_shared(begin, bytes);
        close_shared_memory(descriptor);
    }
};

TEST(shared_memory, two_mappings_are_one_memory) {
    const shared memory;
    ASSERT_NE(memory.begin, nullptr);
    EXPECT_EQ(shared_memory_size(memory.descriptor), bytes);
    auto* const other = static_cast<char*>(map_shared(memory.descriptor, bytes));
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other[100], 0);
    static_cast<char*>(memory.begin)[100] = 7;
    EXPECT_EQ(other[100], 7);
    unmap_shared(other, bytes);
}

TEST(shared_memory, what_is_none_has_no_size) {
    EXPECT_EQ(shared_memory_size(-1), 0U);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(shared_memory_size(ends[0]), 0U);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(shared_memory, passes_through_exec) {
    const shared memory;
    EXPECT_EQ(::fcntl(memory.descriptor, F_GETFD) & FD_CLOEXEC, 0);
}

// Two processes hand a word to and fro; each turn sleeps until the other has had its own.
TEST(shared_futex, no_lost_wakeup_between_processes) {
    static constexpr std::uint32_t turns = 500;
    const shared memory;
    ASSERT_NE(memory.begin, nullptr);
    auto& word = *::new (memory.begin) std::atomic<std::uint32_t>(0);
    const auto play = [&word](std::uint32_t first) {
        for (std::uint32_t turn = first; turn < turns; turn += 2) {
            for (std::uint32_t seen = 0; (seen = word.load()) != turn;) {
                futex_wait_shared(&word, seen);
            }
            word.store(turn + 1);
            futex_wake_shared(&word, 1);
        }
    };
    const pid_t other = ::fork();
    if (other == 0) {
        play(1);
        ::_exit(0);
    }
    play(0);
    EXPECT_EQ(skerry_test::wait_for(other), 0);
    EXPECT_EQ(word.load(), turns);
}

TEST(shared_futex, wait_ends_with_its_time) {
    const std::atomic<std::uint32_t> word = 0;
    EXPECT_FALSE(futex_wait_shared(&word, 0, 1000));
    EXPECT_TRUE(futex_wait_shared(&word, 1));
}

} // namespace
