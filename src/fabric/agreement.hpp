// SPDX-License-Identifier: Apache-2.0
#pragma once

// What processes have to agree on before the first message: the program that they run, and where their arena lies.
// How they tell each other is the back end's.
//
// All read the same answers, so all come to the same result without a further round.
//
// Thread safety: one thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/port/reserve.hpp"
#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric {

// What must be the same in every process: the functions that a message may name by index, and the program in whose code
// an offset names one.
struct table_identity {
    std::uint64_t hash = 0;
    std::uint64_t entries = 0;
    std::uint64_t code = 0;

    friend bool operator==(const table_identity&, const table_identity&) = default;
};

// Which of how many processes; 0 of 1 if nothing was launched.
struct place_in_line {
    unsigned rank = 0;
    unsigned ranks = 1;
};

// An endpoint of a process that has joined others.
struct connection {
    std::unique_ptr<endpoint> fabric;
    port::reservation arena; // at the same address in every process; each has its own content
};

// What a process is called in a text: "process 1"; where it follows others, just "1".
using process_name = std::function<std::string(unsigned process, bool follows)>;

// Throws std::runtime_error, which names both, if a process runs another program than `self`.
void expect_same_program(std::span<const table_identity> all, unsigned self, const process_name& name);

// Bit i: this process may have offered[i] for its arena, which is free here. It is tried, one at a time: a limit on the
// address space (ulimit -v) may allow each of them and not two.
std::uint32_t reservable(std::span<const port::arena_place> offered) noexcept;

// Reserves the first place that all can have; `answers`: of each process what reservable() was there. Throws
// std::runtime_error. Process 0 says it once if the place is smaller than usual.
port::reservation reserve_common(std::span<const port::arena_place> offered, std::span<const std::uint32_t> answers,
                                 unsigned self, const process_name& name);

} // namespace skerry::inline SKERRY_ABI::fabric
