// SPDX-License-Identifier: Apache-2.0
#include "base/port/fixed_memory.hpp"

#include <cerrno>

#include <gtest/gtest.h>

#include "base/port/loaded_code.hpp"
#include "base/port/memory.hpp"

namespace {

namespace port = skerry::port;

constexpr std::size_t size = 1 << 20;
char* const place = reinterpret_cast<char*>(0x3300'0000'0000);

TEST(fixed_memory, comes_zeroed_and_only_once) {
    ASSERT_TRUE(port::map_memory_at(place, size));
    ASSERT_TRUE(port::allow_access(place, size));
    place[5] = 7;
    errno = 0;
    EXPECT_FALSE(port::map_memory_at(place + size / 2, size));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(place[5], 7);
    ASSERT_TRUE(port::renew_memory(place, size));
    ASSERT_TRUE(port::allow_access(place, size));
    EXPECT_EQ(place[5], 0);
    port::unmap_memory(place, size);
    ASSERT_TRUE(port::map_memory_at(place, size));
    port::unmap_memory(place, size);
}

void function() {}

TEST(loaded_code, the_programs_own_comes_first) {
    static int data;
    const auto ranges = port::loaded_code();
    ASSERT_GE(ranges.size(), 2U);
    for (const auto address : {reinterpret_cast<std::uintptr_t>(&data), reinterpret_cast<std::uintptr_t>(&function)}) {
        EXPECT_GE(address, ranges[0].begin);
        EXPECT_LT(address, ranges[0].end);
    }
}

} // namespace
