// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of several processes of one machine, started by skerry::launch().

#include <cstdint>
#include <memory>

#include "base/port/peer_memory.hpp"
#include "base/port/reserve.hpp"
#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

// What must be the same in every process: the functions that a message may name by index, and the program in whose code
// an offset names one.
struct table_identity {
    std::uint64_t hash = 0;
    std::uint64_t entries = 0;
    std::uint64_t code = 0;
};

struct connect_options {
    table_identity table{};
    std::uint64_t timeout_ns = 30'000'000'000; // for the slowest process to arrive
    // Whether to copy into and out of other processes' memory where the system allows it; else all copies are staged.
    bool reach = port::uses_peer_memory;
};

struct connection {
    std::unique_ptr<endpoint> fabric;
    port::reservation arena; // at the same address in every process; each has its own content
};

// Whether this process was started by the launcher: whether SKERRY_RANK is set.
bool launched();

// Which of how many, as the launcher said; 0 of 1 if there was none.
struct place {
    unsigned rank = 0;
    unsigned ranks = 1;
};
// Errors: std::invalid_argument: a variable makes no sense.
place launched_as();

// Joins the others. Once in a process. Throws std::invalid_argument (the variables make no sense), std::runtime_error
// (handshake: another process died, did not come in time, runs another program; no common address for the arena).
// The text names both sides. Nothing is left mapped or reserved then.
[[nodiscard]] connection connect(const connect_options& options = {});

} // namespace skerry::inline SKERRY_ABI::fabric::shm
