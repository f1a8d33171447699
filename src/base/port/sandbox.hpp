// SPDX-License-Identifier: Apache-2.0
#pragma once

// Filters of system calls (seccomp) that end a process for a call they do not know.

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Whether this process would be ended for one of the rare calls that Skerry can do without: membarrier and prctl. Where
// a filter is installed a child process tries them, which costs about what fork() does, needs wait4, and is nobody
// else's child to wait for; true also if none can be made. No filter, or no /proc to tell of it: false.
// Thread safety: any thread. Async-signal-safe calls only in the child.
bool ends_at_rare_calls() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
