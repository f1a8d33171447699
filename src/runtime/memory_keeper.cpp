// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_keeper.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/port/large_pages.hpp"

namespace skerry::inline SKERRY_ABI::detail {

memory_block memory_keeper::take(std::size_t bytes) noexcept {
    {
        const std::lock_guard lock(mutex_);
        memory_block* least = nullptr;
        for (memory_block& kept : kept_) {
            if (kept.bytes >= bytes && (least == nullptr || kept.bytes < least->bytes)) {
                least = &kept;
            }
        }
        if (least != nullptr) {
            return std::exchange(*least, {});
        }
    }
    memory_block made = make(bytes);
    if (made.begin == nullptr) {
        drop();
        made = make(bytes);
    }
    return made;
}

void memory_keeper::give(memory_block block) noexcept {
    if (block.bytes <= most && port::let_contents_go(block.begin, block.bytes)) {
        const std::lock_guard lock(mutex_);
        memory_block& least = *std::ranges::min_element(kept_, {}, &memory_block::bytes); // an empty place is least
        if (least.bytes < block.bytes) {
            std::swap(least, block);
        }
    }
    free(block);
}

void memory_keeper::drop() noexcept {
    std::array<memory_block, places> dropped{};
    {
        const std::lock_guard lock(mutex_);
        dropped.swap(kept_);
    }
    std::ranges::for_each(dropped, free);
}

memory_block memory_keeper::make(std::size_t bytes) noexcept {
    const memory_block made = fresh_memory::take(bytes, alignment);
    if (made.begin != nullptr) {
        port::ask_for_large_pages(made.begin, made.bytes);
    }
    return made;
}

void memory_keeper::free(memory_block block) noexcept { fresh_memory::give(block, alignment); }

} // namespace skerry::inline SKERRY_ABI::detail
