// SPDX-License-Identifier: Apache-2.0
#include "base/port/memory.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace {

using namespace skerry::port;

TEST(memory, smoke) {
    const std::size_t size = 4 * page_size();
    auto* const begin = static_cast<std::byte*>(map_memory(size));
    ASSERT_NE(begin, nullptr);
    ASSERT_TRUE(allow_access(begin + page_size(), 2 * page_size()));
    for (std::size_t i = page_size(); i < 3 * page_size(); ++i) {
        ASSERT_EQ(begin[i], std::byte{0});
    }
    std::memset(begin + page_size(), 0x5a, 2 * page_size());
    EXPECT_EQ(begin[3 * page_size() - 1], std::byte{0x5a});
    unmap_memory(begin, size);
}

TEST(memory, exhaustion) {
    errno = 0;
    EXPECT_EQ(map_memory(round_up(SIZE_MAX / 2, page_size())), nullptr);
    EXPECT_EQ(errno, ENOMEM);
}

TEST(memory, sizes_are_rounded_to_pages) {
    EXPECT_EQ(round_up(0, 4096), 0U);
    EXPECT_EQ(round_up(1, 4096), 4096U);
    EXPECT_EQ(round_up(4096, 4096), 4096U);
    EXPECT_EQ(round_up(4097, 4096), 8192U);
}

TEST(memory, injected_failures) {
    fail_memory_after(0);
    errno = 0;
    EXPECT_EQ(map_memory(page_size()), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    void* const begin = map_memory(page_size()); // the failure came once
    ASSERT_NE(begin, nullptr);
    fail_memory_after(0);
    EXPECT_FALSE(allow_access(begin, page_size()));
    fail_memory_after(1);
    EXPECT_TRUE(allow_access(begin, page_size()));
    EXPECT_FALSE(allow_access(begin, page_size()));
    fail_memory_after(0);
    fail_memory_after(-1);
    EXPECT_TRUE(allow_access(begin, page_size()));
    unmap_memory(begin, page_size());
}

} // namespace
