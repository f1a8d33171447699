// SPDX-License-Identifier: Apache-2.0
#include <skerry/detail/base/port/large_pages.hpp>

#include "base/port/memory.hpp"

#include <cerrno>
#include <cstdint>

#include <sys/mman.h>

namespace skerry::inline SKERRY_ABI::detail {

void ask_for_large_pages(void* begin, std::size_t size) noexcept {
    const std::uintptr_t page = port::page_size();
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
    const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + size) / page * page;
    if (first >= last) {
        return;
    }
    const int saved = errno; // a refusal is not the caller's business
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
    errno = saved;
}

} // namespace skerry::inline SKERRY_ABI::detail
