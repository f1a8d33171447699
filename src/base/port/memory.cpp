// SPDX-License-Identifier: Apache-2.0
#include "base/port/memory.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

// How many calls succeed until one fails; negative: all. Relaxed: it orders nothing.
constinit int calls_to_failure = -1;

bool injected_failure() noexcept {
    if (__atomic_load_n(&calls_to_failure, __ATOMIC_RELAXED) < 0) {
        return false;
    }
    if (__atomic_fetch_sub(&calls_to_failure, 1, __ATOMIC_RELAXED) != 0) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

} // namespace

void fail_memory_after(int calls) noexcept { __atomic_store_n(&calls_to_failure, calls, __ATOMIC_RELAXED); }

std::size_t page_size() noexcept {
    static const long size = ::sysconf(_SC_PAGESIZE);
    return size > 0 ? static_cast<std::size_t>(size) : 4096;
}

void* map_memory(std::size_t size) noexcept {
    if (injected_failure()) {
        return nullptr;
    }
    void* const begin = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return begin == MAP_FAILED ? nullptr : begin;
}

bool allow_access(void* begin, std::size_t size) noexcept {
    return !injected_failure() && ::mprotect(begin, size, PROT_READ | PROT_WRITE) == 0;
}

void unmap_memory(void* begin, std::size_t size) noexcept { ::munmap(begin, size); }

} // namespace skerry::inline SKERRY_ABI::port
