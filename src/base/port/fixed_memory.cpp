// SPDX-License-Identifier: Apache-2.0
#include "base/port/fixed_memory.hpp"

#include <cerrno>

#include <sys/mman.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

constexpr int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

} // namespace

bool map_memory_at(void* begin, std::size_t size) noexcept {
    void* const got = ::mmap(begin, size, PROT_NONE, kind | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == begin) {
        return true;
    }
    if (got != MAP_FAILED) { // a kernel that does not know the flag takes the address as a hint
        ::munmap(got, size);
        errno = EEXIST;
    }
    return false;
}

bool renew_memory(void* begin, std::size_t size) noexcept {
    return ::mmap(begin, size, PROT_NONE, kind | MAP_FIXED, -1, 0) == begin;
}

} // namespace skerry::inline SKERRY_ABI::port
