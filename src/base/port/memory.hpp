// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory straight from the system: address space first, pages when they are needed.
//
// Thread safety: any thread; one reservation belongs to one thread at a time.
// Errors: map_memory returns null, allow_access false, reservation throws std::bad_alloc; nothing else is changed.

#include <cstddef>
#include <cstdint>

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

// An array that grows in place, up to a size given at first: its address never changes.
class reservation {
  public:
    reservation() noexcept = default;
    // Takes address space only (rounded up to pages); costs no memory. Throws std::bad_alloc.
    explicit reservation(std::size_t most);
    reservation(reservation&& other) noexcept;
    reservation& operator=(reservation&& other) noexcept;
    ~reservation();

    // Makes the first `size` bytes usable, zero where they are new; never shrinks. Throws std::bad_alloc if the system
    // refuses or size > capacity().
    void commit(std::size_t size);

    std::byte* data() const noexcept { return static_cast<std::byte*>(begin_); }
    std::size_t size() const noexcept { return committed_; }
    std::size_t capacity() const noexcept { return reserved_; }

  private:
    void* begin_ = nullptr;
    std::size_t reserved_ = 0;
    std::size_t committed_ = 0;
};

// For tests: from now on, the call of map_memory or allow_access after `calls` good ones fails, once. A negative number
// takes that back. Process-wide; any thread.
void fail_memory_after(int calls) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
