// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program as several processes of this machine that work together: what `skerry launch` does.
//
//   const skerry::launch_result end = skerry::launch(2, {"./program", "argument"});
//   if (end.status != 0) { std::cerr << end.text << '\n'; }

#include <string>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp> // asks for a library that ThreadSanitizer watches

namespace skerry::inline SKERRY_ABI {

inline constexpr unsigned most_processes = 64;

struct launch_options {
    double grace_seconds = 2; // how long the others may go on after one has failed, before they are ended
};

struct launch_result {
    // 0: every process ended with 0. Otherwise that of the first that did not: its exit status, or 128 and the number
    // of the signal that killed it.
    int status = 0;
    // Empty, or "process 1 was killed by signal 9". Where the system counts it, the text says that it may have been
    // memory. With status 0, it says that the processes never met, and that each has run the whole program.
    std::string text;
};

// Runs `command` (a program, looked up in PATH, and its arguments) as so many processes, and waits until all have
// ended. Each finds SKERRY_RANK, SKERRY_RANKS and SKERRY_FABRIC_FD in its environment, by which Skerry connects them;
// the variables are between this function and the library, and change with it. If SKERRY_WORKERS is not set, each finds
// there its share of the workers that the machine allows, at least one.
//
// If one is killed or ends with another status than 0, the others get SIGTERM after the grace, and SIGKILL a second
// later. SIGINT and SIGTERM that are sent to this process while it waits go to all of them. Should this process be
// killed, so are they; nothing of theirs stays behind in any case.
//
// Thread safety: one call at a time in a process; it has SIGCHLD, SIGINT and SIGTERM for itself meanwhile.
// Throws std::invalid_argument (no command; not 1 to most_processes processes), std::system_error (the program cannot
// be started, no shared memory).
SKERRY_EXPORT launch_result launch(unsigned processes, const std::vector<std::string>& command,
                                   const launch_options& options = {});

} // namespace skerry::inline SKERRY_ABI
