// SPDX-License-Identifier: Apache-2.0

#include <new>

#include <skerry/detail/sched/task_memory.hpp>

#include "sched/worker.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

spare_blocks* mine() noexcept { return current_page != nullptr ? &worker::of(*current_page).spare : nullptr; }

} // namespace

void* task_memory::operator new(std::size_t bytes) {
    return machine::keeps_blocks ? spare_blocks::take(mine(), bytes) : ::operator new(bytes);
}

void task_memory::operator delete(void* block, std::size_t bytes) noexcept {
    if (machine::keeps_blocks) {
        spare_blocks::give(mine(), block, bytes);
    } else {
        ::operator delete(block);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
