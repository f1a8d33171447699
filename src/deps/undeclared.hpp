// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task that crossed to this process may touch what it declared, and nothing else of the arena: the rest was not
// brought here. coherence/exposure.hpp closes it in debug builds; here is said whose touch it was.

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// In a process that runs tasks of others, before the first: from now on a task that touches what it did not declare, or
// writes what it declared in(), ends the process with a message that names the task and the address. Release builds: no
// effect. Precondition: the arena is there.
void watch_undeclared();

} // namespace skerry::inline SKERRY_ABI::detail
