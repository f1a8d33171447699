// SPDX-License-Identifier: Apache-2.0
#pragma once

// Large blocks that algorithms of one runtime need for a while, kept for the next one. A fresh block is zeroed by the
// system page by page, at the first touch; that is up to a seventh of the time of a radix sort of 40 MB (design note
// 0025).
//
// What is kept has no contents: the system takes the memory if it is short of it. Its addresses stay taken, and count
// where addresses or promised memory are limited (ulimit -v, vm.overcommit_memory=2), until a sort of the same runtime
// finds no memory, or the runtime ends. At most `places` blocks are kept, each no larger than `most`.
//
// Thread safety: any thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/frontend/algorithm/kept_memory.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class memory_keeper {
  public:
    static constexpr std::size_t places = 2; // a sort by comparison uses two at a time
    static constexpr std::size_t most = std::size_t{1} << 28;

    memory_keeper() = default;
    memory_keeper(const memory_keeper&) = delete;
    memory_keeper& operator=(const memory_keeper&) = delete;
    // Nobody else is here. In the child of a fork the lock may be a thread's of the parent, for ever.
    ~memory_keeper() { std::ranges::for_each(kept_, free); }

    // At least that much, aligned to a large page; what it holds is undefined. None if there is no memory, even after
    // what was kept has been freed.
    memory_block take(std::size_t bytes) noexcept;
    // A block from any keeper's take().
    void give(memory_block block) noexcept;
    // Frees what is kept.
    void drop() noexcept;
    // Frees a block from any keeper's take().
    static void free(memory_block block) noexcept;

  private:
    static constexpr std::align_val_t alignment{kept_memory::large};

    static memory_block make(std::size_t bytes) noexcept;

    mutex<machine> mutex_; // guards kept_
    std::array<memory_block, places> kept_{};
};

} // namespace skerry::inline SKERRY_ABI::detail
