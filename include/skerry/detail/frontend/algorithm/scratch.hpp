// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace skerry::inline SKERRY_ABI::detail {

struct memory_block {
    void* begin = nullptr;
    std::size_t bytes = 0;
};

// Where scratch comes from: straight from operator new.
struct fresh_memory {
    static memory_block take(std::size_t bytes, std::align_val_t alignment) noexcept {
        void* const begin = ::operator new(bytes, alignment, std::nothrow);
        return {begin, begin != nullptr ? bytes : 0};
    }
    static void give(memory_block block, std::align_val_t alignment) noexcept {
        ::operator delete(block.begin, alignment);
    }
};

// Raw memory for n objects of type T, or none if there is none to be had: a caller has a slower way that needs none.
// For n == 0 there is none. It comes from operator new, so that a program's own memory accounting sees it.
template <class T, class Memory>
class scratch {
  public:
    explicit scratch(std::uint64_t n) noexcept {
        if (n != 0 && n <= SIZE_MAX / 2 / sizeof(T)) block_ = Memory::take(n * sizeof(T), alignment);
    }
    ~scratch() {
        if (block_.begin != nullptr) Memory::give(block_, alignment);
    }
    scratch(const scratch&) = delete;
    scratch& operator=(const scratch&) = delete;

    explicit operator bool() const noexcept { return block_.begin != nullptr; }
    [[nodiscard]] T* data() const noexcept { return static_cast<T*>(block_.begin); }

  private:
    static constexpr std::align_val_t alignment{alignof(T) > 64 ? alignof(T) : 64};

    memory_block block_;
};

} // namespace skerry::inline SKERRY_ABI::detail
