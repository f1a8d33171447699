// SPDX-License-Identifier: Apache-2.0
#include "base/port/large_pages.hpp"

#include <cerrno>
#include <cstdint>

#include <sys/mman.h>

#include "base/port/memory.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

bool advise(void* begin, std::size_t size, int advice) noexcept {
    const std::uintptr_t page = page_size();
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + size) / page * page;
    if (first >= last) {
        return false;
    }
    const int saved = errno; // a refusal is not the caller's business
    const bool done = ::madvise(reinterpret_cast<void*>(first), last - first, advice) == 0;
    errno = saved;
    return done;
}

} // namespace

void ask_for_large_pages(void* begin, std::size_t size) noexcept { advise(begin, size, MADV_HUGEPAGE); }

bool let_contents_go(void* begin, std::size_t size) noexcept { return advise(begin, size, MADV_FREE); }

} // namespace skerry::inline SKERRY_ABI::port
