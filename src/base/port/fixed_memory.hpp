// SPDX-License-Identifier: Apache-2.0
#pragma once

// Address space at a place that the caller names: where addresses must not differ from run to run.
//
// Thread safety: any thread.
// Errors: false, with errno as the system left it (EEXIST: something else lies there); nothing is changed.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Fresh zeroed pages at `begin` that cannot be touched before allow_access (memory.hpp), which also ends like
// unmap_memory there. Both arguments are multiples of the page size; `size` is not 0.
bool map_memory_at(void* begin, std::size_t size) noexcept;

// Makes pages of a mapping inaccessible and zeroed again.
bool renew_memory(void* begin, std::size_t size) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
