// SPDX-License-Identifier: Apache-2.0
#include <skerry/machine.hpp>

#include <utility>

#include "base/port/cpu_limits.hpp"
#include "base/port/membarrier.hpp"
#include "base/port/topology.hpp"

namespace skerry::inline SKERRY_ABI {

namespace {

cpu_limit described(port::cpu_limit limit) { return {limit.cpus, std::move(limit.where), std::move(limit.text)}; }

} // namespace

machine_description describe_machine() {
    port::cpu_limits limits = port::read_cpu_limits();
    const port::topology topology = port::topology::of_this_machine(limits.cpus);

    machine_description machine;
    machine.workers = limits.workers;
    machine.tightest = described(std::move(limits.tightest));
    for (port::cpu_limit& limit : limits.found) {
        machine.limits.push_back(described(std::move(limit)));
    }
    machine.cpus = std::move(limits.cpus);
    machine.cores = topology.cores();
    machine.packages = topology.packages();
    machine.numa_nodes = topology.numa_nodes();
    machine.topology_known = topology.detailed();
    for (unsigned worker = 0; worker < machine.workers; ++worker) {
        machine.victims.push_back(topology.victims_in_distance_order(worker, machine.workers));
    }
    machine.asymmetric_steal = port::register_membarrier();
    return machine;
}

} // namespace skerry::inline SKERRY_ABI
