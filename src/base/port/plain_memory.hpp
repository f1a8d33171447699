// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C library's memcpy, memmove and memset by names that a program which defines those three itself does not take
// away: the simulator does. Any thread. x86-64 with glibc.
//
// A file that includes plain_memory_calls.hpp calls these wherever it, or the compiler of its own accord, means the C
// library's.

#include <cstddef>

extern "C" {
void* skerry_plain_memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept;
void* skerry_plain_memmove(void* to, const void* from, std::size_t size) noexcept;
void* skerry_plain_memset(void* to, int value, std::size_t size) noexcept;
}
