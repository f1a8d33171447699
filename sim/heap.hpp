// SPDX-License-Identifier: Apache-2.0
#pragma once

// The simulated program's heap. What a simulated thread allocates, by new, malloc or a throw, comes from an arena at a
// fixed address, so that addresses are the same in every run; everyone else has the C library's heap. A block may be
// freed by either side.
//
// The allocator itself is not simulated: it costs a fixed time, its records are in no cache, and a freed block leaves
// all caches (engine::forget), so that no late write-back reaches the next owner. The spans of one size hold blocks
// for all cores; on a coherent machine two cores' small blocks may share a line, as with any plain malloc.
//
// Thread safety: the arena belongs to the simulating thread while a simulation runs; freeing an arena block from
// another thread at that time is not allowed.
//
// Invariants
//  1. The arena is cut into spans of 64 KiB; kinds_ says of each whether it holds blocks of one class, begins or
//     continues a large block, or is free.
//  2. Blocks of a free list are in no cache.

#include <cstddef>
#include <cstdint>

namespace skerry_sim::detail {

// What an allocation and a free cost the core, in cycles.
inline constexpr std::int64_t heap_cycles = 20;

std::uintptr_t heap_begin() noexcept;
std::uintptr_t heap_end() noexcept;

// Before a run: the arena of at least so many bytes. If no block of former runs is alive, it begins afresh. Throws
// std::runtime_error if something else lies there.
void prepare_heap(std::size_t bytes);

} // namespace skerry_sim::detail
