// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many workers this process may keep busy, and who says so.
//
// The answer is the least of the CPU affinity (which a cpuset also sets) and every quota of the process's control
// groups, rounded up: with 1.5 CPUs, two workers use the quota and one does not.
// Thread safety: any thread. Errors: std::bad_alloc only; what cannot be read sets no limit.

#include <vector>

#include <skerry/detail/base/abi.hpp>

#include "base/port/cgroup.hpp"

namespace skerry::inline SKERRY_ABI::port {

struct cpu_limits {
    unsigned workers = 1;         // never 0
    std::vector<unsigned> cpus;   // the logical CPUs that the process may run on, ascending, never empty
    std::vector<cpu_limit> found; // where limits were looked for, the affinity first
    cpu_limit tightest;           // the one that decided
};

// Reads the files and asks the kernel, at every call: about 100 us.
cpu_limits read_cpu_limits();

// The logical CPUs of the process: the affinity of its first thread, so that the answer does not depend on a caller
// that is itself a pinned worker. Ascending, never empty; {0} if the kernel does not tell.
std::vector<unsigned> process_cpus();

// Precondition: `cpus` is not empty.
cpu_limits combine_cpu_limits(std::vector<unsigned> cpus, std::vector<cpu_limit> groups);

} // namespace skerry::inline SKERRY_ABI::port
