// SPDX-License-Identifier: Apache-2.0

// memcpy, memmove and memset of a simulated program. Clang calls them by the thread sanitizer's names; gcc calls the
// plain names, which are therefore ours in the whole process. The engine's own files call the C library's
// (base/port/plain_memory_calls.hpp).

#include "base/port/plain_memory.hpp"
#include "sim/hooks.hpp"

using namespace skerry_sim::detail;

// NOLINTBEGIN(readability-identifier-naming, bugprone-reserved-identifier): others chose these names
extern "C" {

void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
    range(from, size, false, SKERRY_SIM_PC);
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
    range(from, size, false, SKERRY_SIM_PC);
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memset(to, value, size);
}
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
    range(from, size, false, SKERRY_SIM_PC);
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memcpy(to, from, size);
}
void* memmove(void* to, const void* from, std::size_t size) {
    range(from, size, false, SKERRY_SIM_PC);
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memmove(to, from, size);
}
void* memset(void* to, int value, std::size_t size) {
    range(to, size, true, SKERRY_SIM_PC);
    return skerry_plain_memset(to, value, size);
}

} // extern "C"
// NOLINTEND(readability-identifier-naming, bugprone-reserved-identifier)
