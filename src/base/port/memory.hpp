// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory straight from the system: address space first, pages when they are needed.
//
// Thread safety: any thread.
// Errors: map_memory returns null, allow_access false, with errno as the system left it; nothing else is changed.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

std::size_t page_size() noexcept;

// `unit` is a power of two.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
    return (value + unit - 1) & ~(unit - 1);
}

// Fresh zeroed pages that cannot be touched before allow_access. `size` is a multiple of the page size, not 0.
void* map_memory(std::size_t size) noexcept;

// Makes pages of a mapping readable and writable. Both arguments are multiples of the page size.
bool allow_access(void* begin, std::size_t size) noexcept;

// Gives back a whole mapping.
void unmap_memory(void* begin, std::size_t size) noexcept;

// For tests: from now on, the call of map_memory or allow_access after `calls` good ones fails, once. A negative number
// takes that back. Process-wide; any thread.
void fail_memory_after(int calls) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
