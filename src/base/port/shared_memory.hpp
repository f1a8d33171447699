// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory that several processes share, without a name: a file descriptor that children inherit. The kernel frees it
// with its last user however that one ends, so nothing is ever left in /dev/shm.
//
// Thread safety: any thread. Errors: -1, null or 0, with errno as the system left it; nothing else is changed.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Zeroed memory of that size; pages come into being when they are touched. Its descriptor passes through exec().
[[nodiscard]] int make_shared_memory(const char* label, std::size_t bytes) noexcept;

// The size of the shared memory behind a descriptor; 0 if it is none.
[[nodiscard]] std::size_t shared_memory_size(int descriptor) noexcept;

// Readable and writable. Precondition: bytes is not more than the size.
[[nodiscard]] void* map_shared(int descriptor, std::size_t bytes) noexcept;

void unmap_shared(void* begin, std::size_t bytes) noexcept;
void close_shared_memory(int descriptor) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
