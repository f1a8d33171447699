// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the simulated threads' stacks and thread-local variables lie: at addresses that are the same in every process.
//
//   base + core * stride:  thread area (below and above the thread pointer) | guard | stack | guard

#include <cstddef>
#include <cstdint>

#include "base/port/stack_guard.hpp"

namespace skerry_sim::detail {

class fiber_stacks {
  public:
    static constexpr std::uintptr_t base = 0x3000'0000'0000;
    static constexpr std::size_t stack_size = std::size_t{1} << 20;
    static constexpr std::size_t guard_size = std::size_t{64} << 10;
    static constexpr std::size_t area_size = std::size_t{1} << 20; // of a thread
    static constexpr std::size_t stride = area_size + guard_size + stack_size + guard_size;

    // Throws std::runtime_error if something lies there, std::bad_alloc without memory.
    explicit fiber_stacks(unsigned cores);
    ~fiber_stacks();
    fiber_stacks(const fiber_stacks&) = delete;
    fiber_stacks& operator=(const fiber_stacks&) = delete;

    // Zeroed stacks and fresh thread areas, as the calling thread has them.
    void renew();

    char* stack_top(unsigned core) const noexcept { return begin(core) + area_size + guard_size + stack_size; }
    void* thread_area(unsigned core) const noexcept { return begin(core) + pointer_offset_; }
    skerry::port::stack_guard guard() const noexcept;
    std::uintptr_t end() const noexcept { return base + cores_ * stride; }

  private:
    char* begin(unsigned core) const noexcept { return reinterpret_cast<char*>(base + core * stride); }

    unsigned cores_;
    std::size_t pointer_offset_;
};

} // namespace skerry_sim::detail
