// SPDX-License-Identifier: Apache-2.0
#include "base/port/memory.hpp"
#include "base/port/reserve.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include <gtest/gtest.h>

#include "child.hpp"

namespace {

using namespace skerry::port;

// Addresses that every build can have.
constexpr std::uint64_t address = addresses_may_be_tried ? 0x2a00'0000'0000U : 0x60'0000'0000U;

std::byte* place() { return reinterpret_cast<std::byte*>(address); }

constexpr std::size_t size = std::size_t{64} << 20;

TEST(arena, smoke) {
    std::byte* const begin = place();
    ASSERT_TRUE(reserve_at(address, size));
    const std::size_t page = page_size();
    ASSERT_TRUE(commit(begin + page, 2 * page));
    EXPECT_EQ(begin[page], std::byte{0});
    begin[page] = std::byte{1};
    begin[3 * page - 1] = std::byte{2};
    ASSERT_TRUE(protect(begin + page, page, access::read));
    EXPECT_EQ(begin[page], std::byte{1});
    ASSERT_TRUE(protect(begin + page, page, access::none));
    ASSERT_TRUE(protect(begin + page, page, access::read_write));
    EXPECT_EQ(begin[page], std::byte{1});
    release(begin + page, 2 * page);
    EXPECT_EQ(begin[page], std::byte{0});
    EXPECT_EQ(begin[3 * page - 1], std::byte{0});
    begin[page] = std::byte{3};
    unmap_memory(begin, size);
}

TEST(arena, a_taken_place_is_left_alone) {
    std::byte* const begin = place();
    ASSERT_TRUE(reserve_at(address, page_size()));
    ASSERT_TRUE(commit(begin, page_size()));
    begin[0] = std::byte{7};
    errno = 0;
    EXPECT_FALSE(reserve_at(address, size));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(begin[0], std::byte{7});
    unmap_memory(begin, page_size());
}

TEST(arena, exhaustion) {
    std::byte* const begin = place();
    ASSERT_TRUE(reserve_at(address, size));
    fail_memory_after(0);
    EXPECT_FALSE(commit(begin, page_size()));
    EXPECT_TRUE(commit(begin, page_size()));
    unmap_memory(begin, size);
}

TEST(arena, reserved_and_protected_pages_fault) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "sanitizers handle the signal";
    }
    for (const bool write : {false, true}) {
        const auto child = skerry_test::run_in_child([write] {
            volatile std::byte* const begin = place();
            if (!reserve_at(address, size) || !commit(place(), page_size()) ||
                !protect(place(), page_size(), access::read)) {
                return 1;
            }
            static_cast<void>(begin[0]);
            if (write) {
                begin[0] = std::byte{1};
            } else {
                static_cast<void>(begin[page_size()]);
            }
            return 2;
        });
        EXPECT_FALSE(child.exited);
        EXPECT_EQ(child.code, SIGSEGV);
    }
}

TEST(arena, no_limit_unless_there_is_one) { EXPECT_GE(address_space_limit(), std::uint64_t{1} << 30); }

} // namespace
