// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace apps {

/// The calling thread, and those that it will start, stay on the `rank`-th logical CPU that it may use, if there are so
/// many.
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

} // namespace apps
