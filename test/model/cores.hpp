// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a thread of the engine has of its own where threads are cores of a manycore machine (sim/README.md, GPU-WB): a
// private cache that software keeps, and user-level interrupts. caches.cpp and interrupts.cpp have the rules.
//
// Invariants
//  1. Words lie in the order of their addresses. Of one address there is a dirty word, or old ones from the oldest on.
//  2. Words before `count` are part of the state.

#include <array>
#include <cstddef>
#include <cstdint>

namespace skerry::model {

inline constexpr std::size_t cache_capacity = 64;

// A word that the core has written and nobody else sees; or one that memory held once since the core's last discard, so
// that the core may hold a copy of it.
struct cached_word {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
    std::uint8_t size = 0;
    std::uint8_t dirty = 0;
    std::uint8_t plain = 0; // written as a plain<T>
    std::uint8_t unused[5] = {};
};

struct core_state {
    std::uint32_t count = 0;
    std::uint8_t masks = 0;
    std::uint8_t asked_by = 0; // thread + 1 of whoever interrupts it
    std::uint8_t handling = 0; // the handler has begun
    std::uint8_t asking = 0;   // waits for the answer to an interrupt
    std::uintptr_t handler = 0;
    std::array<cached_word, cache_capacity> words{};
};

} // namespace skerry::model
