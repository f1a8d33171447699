// SPDX-License-Identifier: Apache-2.0
#include "base/port/memory.hpp"

#include <cstring>
#include <new>
#include <utility>

#include <gtest/gtest.h>

namespace {

using namespace skerry::port;

TEST(memory, reservation_grows_in_place) {
    reservation r(std::size_t{1} << 36);
    std::byte* const begin = r.data();
    EXPECT_EQ(r.size(), 0U);
    r.commit(1);
    EXPECT_EQ(r.size(), page_size());
    std::memset(r.data(), 0x5a, r.size());
    r.commit(3 * page_size());
    EXPECT_EQ(r.data(), begin);
    EXPECT_EQ(r.data()[0], std::byte{0x5a});
    EXPECT_EQ(r.data()[page_size()], std::byte{0});
    r.commit(1);
    EXPECT_EQ(r.size(), 3 * page_size());
}

TEST(memory, exhaustion) {
    reservation r(page_size());
    EXPECT_THROW(r.commit(page_size() + 1), std::bad_alloc);
    EXPECT_EQ(r.size(), 0U);
    r.commit(page_size());
    EXPECT_EQ(r.size(), r.capacity());
    EXPECT_THROW(reservation(SIZE_MAX / 2), std::bad_alloc);
    EXPECT_THROW(reservation{SIZE_MAX}, std::bad_alloc);
}

TEST(memory, nothing_is_a_reservation_too) {
    reservation r(0);
    r.commit(0);
    EXPECT_EQ(r.data(), nullptr);
    EXPECT_THROW(r.commit(1), std::bad_alloc);
}

TEST(memory, moves) {
    reservation a(page_size());
    a.commit(1);
    std::byte* const begin = a.data();
    reservation b(std::move(a));
    EXPECT_EQ(b.data(), begin);
    reservation c(page_size());
    c = std::move(b);
    EXPECT_EQ(c.data(), begin);
    EXPECT_EQ(c.size(), page_size());
    c.data()[0] = std::byte{1};
}

TEST(memory, injected_failures) {
    fail_memory_after(0);
    EXPECT_THROW(reservation{1}, std::bad_alloc);
    reservation r(1); // the failure came once
    fail_memory_after(0);
    EXPECT_THROW(r.commit(1), std::bad_alloc);
    EXPECT_EQ(r.size(), 0U);
    fail_memory_after(1);
    r.commit(1);
    EXPECT_THROW(reservation{1}, std::bad_alloc);
    fail_memory_after(0);
    fail_memory_after(-1);
    const reservation fine(1);
    EXPECT_EQ(fine.capacity(), page_size());
}

} // namespace
