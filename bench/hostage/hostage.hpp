// SPDX-License-Identifier: Apache-2.0
// Small tasks are spawned, then the spawning thread computes one long leaf itself. Two workers can finish both in the
// time of the leaf, if the small tasks do not wait behind it for their owner: 64 of 1 ms beside 100 ms.
#pragma once

#include "harness/harness.hpp"

#include <atomic>

namespace bench::hostage {

inline constexpr unsigned tasks = 64;
inline constexpr seconds short_task{0.001};
inline constexpr seconds long_leaf{0.1};

/// What a small task does.
inline void small(std::atomic<unsigned>& done) {
    spin_for(short_task);
    done.fetch_add(1, std::memory_order_relaxed);
}

/// Spawns the small tasks, runs the leaf, waits for all.
void spawn_and_compute(std::atomic<unsigned>& done);

} // namespace bench::hostage
