// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who waits for whom, as numbers.

#include <vector>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// waits_for[i]: those without any of which i does not go on. Every cycle among them is a deadlock.
using wait_graph = std::vector<std::vector<unsigned>>;

// The members of one cycle in their order, each waiting for the next and the last for the first; empty: there is none.
// Precondition: every number is less than the size. O(nodes + edges). Errors: std::bad_alloc.
std::vector<unsigned> find_cycle(const wait_graph& waits_for);

} // namespace skerry::inline SKERRY_ABI::detail
