// SPDX-License-Identifier: Apache-2.0
#pragma once

// How launched processes find that they belong together, and where their arena lies.
//
//   H1  each writes its table's identity, process 0 also the places where the arena may lie; step = arrived
//   H2  each waits until all have arrived, and compares
//   H3  each tries which of the places it can reserve, one at a time, and says which; step = answered. A limit on its
//       address space (ulimit -v) may allow each of them and not two
//   H4  each waits until all have answered; the first place that all can have is the arena, and each reserves it
//   H5  each looks whose private memory the system lets it in, by a sample that the other one named in H1
//
// All read the same answers, so all come to the same result without a further round. A process tries a place only if
// its own build allows it: a thread sanitizer would end it otherwise. No wait lasts: the end of a process is told by
// the launcher, and there is a time limit.
//
// Thread safety: one thread.

#include <cstdint>
#include <vector>

#include "base/port/reserve.hpp"
#include "fabric/segment.hpp"
#include "fabric/shm/protocol.hpp"
#include "fabric/shm/shm.hpp"

namespace skerry::inline SKERRY_ABI::fabric::shm {

struct agreed {
    port::reservation arena;
    std::vector<std::uint32_t> reached; // the system's number of each peer whose memory this process can reach, or 0
};

// Throws std::runtime_error.
agreed shake_hands(control& shared, const segment<across_processes>& words, unsigned self,
                   const connect_options& options);

} // namespace skerry::inline SKERRY_ABI::fabric::shm
