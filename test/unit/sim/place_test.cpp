// SPDX-License-Identifier: Apache-2.0

// What the simulator takes of the address space, when somebody else has it.

#include <gmock/gmock.h>

#include "base/port/fixed_memory.hpp"
#include "base/port/memory.hpp"
#include "machines.hpp"

namespace {

using namespace skerry_test;
namespace port = skerry::port;

std::string error_of_a_run() {
    try {
        simulate([] {});
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no error";
}

TEST(place, taken) {
    auto* const stacks = reinterpret_cast<void*>(0x3000'0000'0000);
    auto* const heap = reinterpret_cast<void*>(0x3100'0000'0000);
    ASSERT_TRUE(port::map_memory_at(heap, 4096));
    EXPECT_EQ(error_of_a_run(), "skerry: sim: the address space for the simulated heap, 4294967296 bytes, is not free");
    port::unmap_memory(heap, 4096);
    ASSERT_TRUE(port::map_memory_at(stacks, 4096));
    EXPECT_EQ(error_of_a_run(),
              "skerry: sim: the address space for simulated stacks, 8912896 bytes at 0x300000000000, is not free");
    port::unmap_memory(stacks, 4096);
    EXPECT_EQ(error_of_a_run(), "no error");
}

} // namespace
