// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>

#include <limits>
#include <string>
#include <vector>

namespace skerry::inline SKERRY_ABI {

// Something that bounds how many CPUs this process may keep busy.
struct cpu_limit {
    double cpus = std::numeric_limits<double>::infinity(); // may be a fraction; infinite: it sets no limit
    std::string where;                                     // the file or the call that was asked
    std::string text;                                      // what it said
};

// What a runtime with options{.workers = 0} goes by.
struct machine_description {
    unsigned workers = 1;          // as many as the tightest limit allows, rounded up
    cpu_limit tightest;            // the limit that decided
    std::vector<cpu_limit> limits; // all that were found, the CPU affinity first

    std::vector<unsigned> cpus; // the logical CPUs the process may use, ascending, as the system numbers them
    unsigned cores = 1;         // how many cores, packages and NUMA nodes these belong to
    unsigned packages = 1;
    unsigned numa_nodes = 1;
    bool topology_known = false; // false: the machine could not be described and is taken as flat

    std::vector<std::vector<unsigned>> victims; // for each of `workers`, the others in the order in which it asks them
    bool asymmetric_steal = false;              // the kernel offers expedited membarrier
};

// Asks the system at every call: a few milliseconds. Any thread. Throws std::bad_alloc only; what cannot be read sets
// no limit.
SKERRY_EXPORT machine_description describe_machine();

} // namespace skerry::inline SKERRY_ABI
