// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a piece of a test in a forked child, for what cannot be undone in a process: limits, filters, handlers, deaths.

#include <functional>
#include <string>

namespace skerry_test {

#ifdef SKERRY_SANITIZED // by the build, for any sanitizer: compilers do not tell of the one for undefined behaviour
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct child_result {
    bool exited = false;
    int code = -1;      // of exit, or the signal's number
    std::string output; // stdout and stderr together
};

// The body's result is the exit code; 100 if it throws (the text is in the output). Precondition: the calling process
// has one thread.
child_result run_in_child(const std::function<int()>& body);

// As run_in_child in place, for a child that forks.
int wait_for(int pid);

} // namespace skerry_test
