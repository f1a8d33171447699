// SPDX-License-Identifier: Apache-2.0
// What programs share that measure two processes, each on a logical CPU of its own.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <sched.h>
#include <skerry/launch.hpp>

namespace bench {

/// The calling thread, and those that it will start, stay on the `rank`-th CPU that it may use, if there are so many.
inline void pin(unsigned rank) {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &allowed) && seen++ == static_cast<int>(rank)) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            ::sched_setaffinity(0, sizeof one, &one);
            return;
        }
    }
}

/// Runs this program again as two processes; what main() returns then.
inline int launch_pair(const char* name, int argc, char** argv) {
    std::vector<std::string> command(argv, argv + argc);
    command[0] = "/proc/self/exe";
    const skerry::launch_result end = skerry::launch(2, command);
    if (end.status != 0) {
        std::fprintf(stderr, "%s: %s\n", name, end.text.c_str());
    }
    return end.status;
}

} // namespace bench
