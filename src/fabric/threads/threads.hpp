// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of domains that are threads of one process: each endpoint is driven by a thread of its own, and a pair
// talks through the same rings as two processes do.

#include <memory>
#include <vector>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric::threads {

// `count` endpoints that know each other, at least one. Each may be destroyed by itself; the others then find it gone.
// std::bad_alloc without memory.
[[nodiscard]] std::vector<std::unique_ptr<endpoint>> make(unsigned count);

} // namespace skerry::inline SKERRY_ABI::fabric::threads
