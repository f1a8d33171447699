// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread_area.hpp"

#include <gtest/gtest.h>

#include "base/port/fixed_memory.hpp"
#include "base/port/memory.hpp"

namespace {

namespace port = skerry::port;

constexpr std::size_t size = 1 << 20;
char* const place = reinterpret_cast<char*>(0x3300'0000'0000);

thread_local int variable = 40;

[[gnu::noinline]] int& of_this_area() {
    asm volatile(""); // or the compiler keeps the address of the area before
    return variable;
}

TEST(thread_area, a_copy_has_variables_of_its_own) {
    const port::thread_area_size need = port::measure_thread_area();
    ASSERT_LE(need.below, size / 2);
    ASSERT_LE(need.above, size / 2);
    ASSERT_TRUE(port::map_memory_at(place, size));
    ASSERT_TRUE(port::allow_access(place, size));
    of_this_area() = 1;
    void* const other = place + size / 2;
    port::copy_thread_area(other);
    void* const own = port::thread_pointer();
    port::set_thread_pointer(other);
    const int first = of_this_area();
    of_this_area() = 2;
    void* const seen = port::thread_pointer();
    const void* const there = &of_this_area();
    port::set_thread_pointer_slowly(own);
    EXPECT_EQ(first, 40); // as a new thread has it
    EXPECT_EQ(seen, other);
    EXPECT_EQ(of_this_area(), 1);
    EXPECT_EQ(port::in_thread_area(other, &variable), there);
    EXPECT_EQ(*static_cast<int*>(port::in_thread_area(other, &variable)), 2);
    port::unmap_memory(place, size);
}

} // namespace
