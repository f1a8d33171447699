// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/frontend/algorithm/scratch.hpp>

#include <cstddef>
#include <new>

namespace skerry::inline SKERRY_ABI::detail {

// Where scratch comes from: large blocks from those that the runtime around the caller has kept, all others straight
// from operator new. What a block of either holds is undefined.
struct kept_memory {
    static constexpr std::size_t large = std::size_t{1} << 21; // a large page, to which a large block is aligned

    static memory_block take(std::size_t bytes, std::align_val_t alignment) noexcept {
        return is_large(bytes, alignment) ? take_large(bytes) : fresh_memory::take(bytes, alignment);
    }
    static void give(memory_block block, std::align_val_t alignment) noexcept {
        if (is_large(block.bytes, alignment)) {
            give_large(block);
        } else {
            fresh_memory::give(block, alignment);
        }
    }

  private:
    static bool is_large(std::size_t bytes, std::align_val_t alignment) noexcept {
        return bytes >= large && static_cast<std::size_t>(alignment) <= large;
    }
    SKERRY_EXPORT static memory_block take_large(std::size_t bytes) noexcept;
    SKERRY_EXPORT static void give_large(memory_block block) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
