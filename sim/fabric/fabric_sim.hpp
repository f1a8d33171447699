// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of domains that are cores of a simulated machine: messages, copies and ends are those of its message
// network, at the times that the machine's description gives.

#include <memory>
#include <span>
#include <vector>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric::sim {

// Endpoint i is that of cores[i], and driven by the thread that runs there. Called on a simulated core. A core has one
// endpoint at a time. Throws std::runtime_error if the machine has no message network or no such core, std::bad_alloc.
[[nodiscard]] std::vector<std::unique_ptr<endpoint>> make(std::span<const unsigned> cores);

// Of the first `count` cores, at least one.
[[nodiscard]] std::vector<std::unique_ptr<endpoint>> make(unsigned count);

} // namespace skerry::inline SKERRY_ABI::fabric::sim
