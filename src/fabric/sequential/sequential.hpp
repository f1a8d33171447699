// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fabric of a program with one domain: its only peer is itself. Everything goes through queues, in an order that
// depends on nothing but the calls.

#include <memory>

#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::fabric::sequential {

// std::bad_alloc without memory.
[[nodiscard]] std::unique_ptr<endpoint> make();

} // namespace skerry::inline SKERRY_ABI::fabric::sequential
