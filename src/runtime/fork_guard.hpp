// SPDX-License-Identifier: Apache-2.0
#pragma once

// What fork() means to a runtime. The child has one thread: the team's others are gone, with whatever they had taken.
// Outside a region that is harmless, since a new engine is built at the next use. Inside one the child's own tasks can
// never be joined, so its next fork or join ends the process with a message instead of waiting for ever.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Starts counting forks. Idempotent; any thread. Errors: std::bad_alloc.
void watch_forks();

// Held while the default engine is made, or in the child of a fork an engine in the place of the parent's; and across
// fork(), so that a child never inherits it locked.
mutex<machine>& standard_engine_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
