// SPDX-License-Identifier: Apache-2.0

// Which large blocks a runtime keeps, and when it frees them. Every block is counted, and there is a limit on all of
// them together.
#include "runtime/memory_keeper.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include <malloc.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/runtime.hpp>

#include "base/port/large_pages.hpp"
#include "base/port/memory.hpp"

namespace {

using skerry::detail::kept_memory;
using skerry::detail::memory_block;
using skerry::detail::memory_keeper;

constexpr std::size_t large = kept_memory::large;

std::atomic<std::size_t> live{0}; // bytes in blocks aligned to a large page
std::atomic<std::size_t> limit{std::numeric_limits<std::size_t>::max()};
std::atomic<int> made{0};

[[gnu::noinline]] void release(void* p) noexcept { std::free(p); }

} // namespace

void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t& /*tag*/) noexcept {
    if (static_cast<std::size_t>(alignment) != large) {
        const auto unit = static_cast<std::size_t>(alignment);
        return std::aligned_alloc(unit, skerry::port::round_up(size, unit));
    }
    if (live + size > limit) {
        return nullptr;
    }
    void* const p = std::aligned_alloc(large, skerry::port::round_up(size, large));
    live += malloc_usable_size(p);
    ++made;
    return p;
}
void operator delete(void* p, std::align_val_t alignment) noexcept {
    if (static_cast<std::size_t>(alignment) == large) {
        live -= malloc_usable_size(p);
    }
    release(p);
}

namespace {

TEST(MemoryKeeper, TheSmallestThatSufficesIsTakenAgain) {
    memory_keeper keeper;
    const memory_block a = keeper.take(2 * large);
    const memory_block b = keeper.take(3 * large);
    ASSERT_NE(a.begin, nullptr);
    ASSERT_NE(b.begin, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.begin) % large, 0U);
    EXPECT_EQ(a.bytes, 2 * large);
    keeper.give(b);
    keeper.give(a);
    const memory_block c = keeper.take(large);
    EXPECT_EQ(c.begin, a.begin);
    EXPECT_EQ(c.bytes, 2 * large); // all of it comes back
    const memory_block d = keeper.take(large);
    EXPECT_EQ(d.begin, b.begin);
    EXPECT_EQ(d.bytes, 3 * large);
    const memory_block e = keeper.take(large);
    EXPECT_EQ(e.bytes, large); // a new one
    keeper.give(c);
    keeper.give(d);
    keeper.give(e);
}

TEST(MemoryKeeper, ALargerOneTakesThePlaceOfTheSmallest) {
    memory_keeper keeper;
    const memory_block a = keeper.take(large);
    const memory_block b = keeper.take(3 * large);
    const memory_block c = keeper.take(2 * large);
    const memory_block d = keeper.take(large);
    keeper.give(a);
    keeper.give(b);
    keeper.give(c); // in place of a
    const std::size_t before = live;
    keeper.give(d); // too small
    EXPECT_LE(live, before - large);
    EXPECT_EQ(keeper.take(2 * large).begin, c.begin);
    EXPECT_EQ(keeper.take(2 * large).begin, b.begin);
    memory_keeper::free(b);
    memory_keeper::free(c);
    EXPECT_EQ(live, 0U);
}

TEST(MemoryKeeper, AVeryLargeOneIsFreedAtOnce) {
    memory_keeper keeper;
    const memory_block a = keeper.take(memory_keeper::most + 1);
    ASSERT_NE(a.begin, nullptr);
    keeper.give(a);
    EXPECT_EQ(live, 0U);
    const memory_block b = keeper.take(memory_keeper::most);
    ASSERT_NE(b.begin, nullptr);
    keeper.give(b);
    EXPECT_GE(live, memory_keeper::most);
    keeper.drop();
    EXPECT_EQ(live, 0U);
}

TEST(MemoryKeeper, WhatIsKeptIsFreedBeforeMemoryRunsOut) {
    memory_keeper keeper;
    limit = 4 * large + large / 2;
    const memory_block a = keeper.take(2 * large);
    const memory_block b = keeper.take(large);
    keeper.give(a);
    keeper.give(b);
    const memory_block c = keeper.take(4 * large); // would not fit beside them
    EXPECT_NE(c.begin, nullptr);
    const memory_block none = keeper.take(large);
    EXPECT_EQ(none.begin, nullptr);
    EXPECT_EQ(none.bytes, 0U);
    limit = std::numeric_limits<std::size_t>::max();
    keeper.give(c);
}

TEST(MemoryKeeper, LockedMemoryIsNotKept) {
    memory_keeper keeper;
    const memory_block a = keeper.take(large);
    auto* const page = static_cast<std::byte*>(a.begin);
    // Not by the function: sanitizers make it do nothing.
    ASSERT_EQ(::syscall(SYS_mlock, page, skerry::port::page_size()), 0);
    *page = std::byte{7};
    errno = 0;
    EXPECT_FALSE(skerry::port::let_contents_go(a.begin, a.bytes));
    EXPECT_EQ(errno, 0);
    EXPECT_EQ(*page, std::byte{7});
    keeper.give(a);
    EXPECT_EQ(live, 0U);
    ::syscall(SYS_munlock, page,
              skerry::port::page_size()); // it may still be in the heap, and in the next test's blocks
}

TEST(MemoryKeeper, NobodyElseHasABlockMeanwhile) {
    memory_keeper keeper;
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                std::minstd_rand random{t + 1};
                for (int i = 0; i < 500; ++i) {
                    const memory_block block = keeper.take(large + random() % large);
                    auto* const words = static_cast<unsigned*>(block.begin);
                    unsigned& last = words[block.bytes / sizeof(unsigned) - 1];
                    words[0] = last = t;
                    std::this_thread::yield();
                    wrong += words[0] != t || last != t;
                    keeper.give(block);
                }
            });
        }
    }
    EXPECT_EQ(wrong, 0);
    keeper.drop();
    EXPECT_EQ(live, 0U);
}

skerry::options two_workers() {
    skerry::options o;
    o.workers = 2;
    return o;
}

TEST(MemoryKeeper, ARuntimeKeepsWhatItsSortsUsedUntilItEnds) {
    std::vector<std::uint32_t> keys(530'000);
    std::minstd_rand random{1};
    const auto shuffled = [&]() -> std::vector<std::uint32_t>& {
        std::ranges::generate(keys, random);
        return keys;
    };
    const auto less = [](std::uint32_t x, std::uint32_t y) { return x < y; };
    {
        skerry::runtime rt(two_workers());
        rt.run([&] {
            made = 0;
            skerry::parallel_sort(shuffled());
            EXPECT_TRUE(std::ranges::is_sorted(keys));
            EXPECT_EQ(made, 1);
            skerry::parallel_sort(shuffled(), less);
            EXPECT_TRUE(std::ranges::is_sorted(keys));
            const int by_then = made;
            for (int i = 0; i < 2; ++i) {
                skerry::parallel_sort(shuffled());
                EXPECT_TRUE(std::ranges::is_sorted(keys));
                skerry::parallel_sort(shuffled(), less);
                EXPECT_TRUE(std::ranges::is_sorted(keys));
            }
            EXPECT_EQ(made, by_then);
        });
        EXPECT_GE(live, keys.size() * sizeof(keys[0]));
    }
    EXPECT_EQ(live, 0U);
}

// Whatever another thread of the parent was doing: the child has nobody who would give the lock back.
TEST(MemoryKeeper, EndsInTheChildOfAFork) {
    for (int round = 0; round < 30; ++round) {
        auto keeper = std::make_unique<memory_keeper>();
        std::atomic<bool> done = false;
        std::thread user([&] {
            while (!done) {
                keeper->give(keeper->take(large));
            }
        });
        for (int i = 0; i < 10; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::alarm(10);
                keeper.reset();
                ::_exit(0);
            }
            int status = -1;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            EXPECT_EQ(status, 0);
        }
        done = true;
        user.join();
    }
}

} // namespace
