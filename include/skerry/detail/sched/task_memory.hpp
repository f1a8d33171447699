// SPDX-License-Identifier: Apache-2.0
#pragma once

// A base of tasks that lie in memory of tasks which the same worker has made before, if some is left.

#include <cstddef>
#include <new>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct task_memory {
    // Errors: std::bad_alloc.
    [[nodiscard]] SKERRY_EXPORT static void* operator new(std::size_t bytes);
    SKERRY_EXPORT static void operator delete(void* block, std::size_t bytes) noexcept;
    // For types that need a greater alignment than every allocation has.
    [[nodiscard]] static void* operator new(std::size_t bytes, std::align_val_t a) { return ::operator new(bytes, a); }
    static void operator delete(void* block, std::size_t, std::align_val_t a) noexcept { ::operator delete(block, a); }

  protected:
    ~task_memory() = default;
};

} // namespace skerry::inline SKERRY_ABI::detail
