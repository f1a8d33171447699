// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of several processes of one machine, started by skerry::launch().

#include <cstdint>

#include "base/port/peer_memory.hpp"
#include "fabric/agreement.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

struct connect_options {
    table_identity table{};
    std::uint64_t timeout_ns = 30'000'000'000; // for the slowest process to arrive
    // Whether to copy into and out of other processes' memory where the system allows it; else all copies are staged.
    bool reach = port::uses_peer_memory;
};

// Whether this process was started by the launcher: whether SKERRY_RANK is set.
bool launched();

// As the launcher said. Errors: std::invalid_argument: a variable makes no sense.
place_in_line launched_as();

// Joins the others. Once in a process. Throws std::invalid_argument (the variables make no sense), std::runtime_error
// (handshake: another process died, did not come in time, runs another program; no common address for the arena).
// The text names both sides. Nothing is left mapped or reserved then.
[[nodiscard]] connection connect(const connect_options& options = {});

} // namespace skerry::inline SKERRY_ABI::fabric::shm
