// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs on simulated cores.

#include <span>

#include <skerry/runtime.hpp>

#include "rounds.hpp"

namespace random_programs {

struct cores_used {
    skerry::steal_mode steal;
    unsigned workers = 4;
    const char* protocol = "gpu-wb"; // of the private caches
};

// In a process of its own: each program on a machine of its own. The result is an exit code.
int run_round(std::span<const choices> list, cores_used by, unsigned patience_seconds);

} // namespace random_programs
