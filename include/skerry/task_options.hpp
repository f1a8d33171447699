// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI {

// What spawn() may be told about a task besides its accesses: a name and no more. A task has no priority and no worker
// of its own; what must come first, its accesses say.
struct task_options {
    const char* name = nullptr; // for traces and messages; lives as long as the program
};

} // namespace skerry::inline SKERRY_ABI
