// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/port/file.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

// The same file opened twice, as by two processes.
struct shared_file {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> mine{std::tmpfile(), &std::fclose};
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> other{
        std::fopen(("/proc/self/fd/" + std::to_string(::fileno(mine.get()))).c_str(), "r+"), &std::fclose};
};

TEST(file_lock, one_that_others_keep_is_an_error_that_says_so) {
    const shared_file file;
    const file_lock held(file.other.get());
    EXPECT_THAT([&] { const file_lock second(file.mine.get(), 20'000'000); },
                testing::ThrowsMessage<std::runtime_error>(
                    "others hold its lock and have written nothing for 20 ms: is one of them stopped?"));
}

TEST(file_lock, waits_for_another) {
    const shared_file file;
    std::atomic<bool> asked = false;
    std::atomic<bool> opened = false;
    auto held = std::make_unique<file_lock>(file.other.get());
    std::thread other([&] {
        while (!asked) {
            std::this_thread::yield();
        }
        opened = true;
        held.reset();
    });
    {
        asked = true;
        const file_lock second(file.mine.get());
        EXPECT_TRUE(opened);
    }
    other.join();
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::port
