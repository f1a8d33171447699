// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the hooks touch on their fast path: the running core's clock, its counters, and a filter of lines that are known
// to hit. Everything else about a core is in core.hpp.
//
// The clock is kept as a budget that runs down: at zero the core must look up (interrupts, other cores' turns). So the
// hook of a basic block is one subtraction and one branch.
//
// Thread safety: one thread simulates; each core's copy of `current` (core.hpp says why there are copies) is constant
// while the core has a thread. Threads outside the simulation see null, and hooks do nothing for them.
//
// Invariants
//  1. clock == limit - budget.
//  2. read_line[s] is a line of which the core has every byte, none of them stale, and which is the newest of its set:
//     a hit that goes by the filter would change nothing else.
//  3. write_line[s] is a line that the core may dirty without telling anybody; dirty[s] are the bytes it has dirtied
//     since the line's way was last told, writer[s] who did it, by granule of four bytes.

#include <cstdint>

namespace skerry_sim::detail {

inline constexpr unsigned line_bytes = 64;
inline constexpr unsigned line_shift = 6;
inline constexpr unsigned filter_slots = 32;
inline constexpr unsigned granules = line_bytes / 4;
inline constexpr std::uint64_t no_line = ~std::uint64_t{0};

struct alignas(64) hot {
    std::int64_t budget = 0;
    std::int64_t limit = 0;
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t read_line[filter_slots];
    std::uint64_t write_line[filter_slots];
    std::uint64_t dirty[filter_slots];
    std::uint32_t writer[filter_slots][granules];
};

// initial-exec: they are read at every block and every access of the simulated program. `observed` is whose accesses
// caches see: `current`, and null outside a region of interest (sim/interest.cpp).
extern constinit thread_local hot* current [[gnu::tls_model("initial-exec")]];
extern constinit thread_local hot* observed [[gnu::tls_model("initial-exec")]];

// Which bytes of its line an access touches. Precondition: it does not leave the line.
constexpr std::uint64_t byte_mask(std::uint64_t address, std::uint64_t size) noexcept {
    const std::uint64_t all = size >= line_bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return all << (address % line_bytes);
}

} // namespace skerry_sim::detail
