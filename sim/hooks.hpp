// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Where the program is that called the hook in which this stands.
#define SKERRY_SIM_PC static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)))

namespace skerry_sim::detail {

// Instructions of a basic block, which is what a hook stands for. Constant during a run.
extern constinit std::int64_t block_cycles;

// Tells the caches of an access of any size; outside a simulation nobody. As many accesses as words, though the caches
// see one per line.
void range(const volatile void* p, std::uint64_t size, bool store, std::uint32_t pc);

} // namespace skerry_sim::detail
