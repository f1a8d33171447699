// SPDX-License-Identifier: Apache-2.0

#include <skerry/runtime.hpp>

#include <memory>
#include <utility>

#include "base/port/cpu_limits.hpp"
#include "fabric/mpi/mpi.hpp"
#include "runtime/engine.hpp"

namespace skerry::inline SKERRY_ABI {

runtime::runtime(const options& o) : engine_(std::make_unique<detail::engine>(o).release()) {}
runtime::~runtime() { delete engine_.load(detail::memory_order::acquire); }

runtime::entry::entry(runtime& r) : engine_(detail::engine::of_this_process(r.engine_)) {
    engine_.enter();
    try {
        engine_.join_processes();
    } catch (...) {
        detail::engine::leave();
        throw;
    }
}
runtime::entry::~entry() { detail::engine::leave(); }

region runtime::root_region() { return region(detail::engine::root_at(engine_)); }

// Before its first run() in the child of a fork, all three tell of the parent's engine. F2 <- F1.
statistics runtime::stats() const noexcept { return engine_.load(detail::memory_order::acquire)->stats(); }
std::vector<executor_statistics> runtime::executors() const {
    return engine_.load(detail::memory_order::acquire)->executors();
}
unsigned runtime::workers() const noexcept { return engine_.load(detail::memory_order::acquire)->settings().workers; }

unsigned max_slots() { return detail::engine::current().settings().max_slots; }

unsigned this_worker::slot() {
    return detail::current_page != nullptr ? detail::worker::of(*detail::current_page).slot : max_slots();
}

statistics current_statistics() { return detail::engine::current().stats(); }

machine_description describe_machine() {
    const port::cpu_limits limits = port::read_cpu_limits();
    const port::topology places = port::topology::of_this_machine(limits.cpus);
    machine_description d{.workers = limits.workers,
                          .cpus = limits.cpus,
                          .limits = {},
                          .decided_by = limits.tightest.where,
                          .packages = places.packages(),
                          .cores = places.cores(),
                          .numa_nodes = places.numa_nodes(),
                          .topology_known = places.detailed(),
                          .membarrier = detail::machine::asymmetric()};
    for (const port::cpu_limit& l : limits.found) {
        d.limits.push_back({.cpus = l.cpus, .where = l.where, .text = l.text});
    }
    if constexpr (!detail::takes_events<detail::machine>) {
        for (fabric::mpi::object& o : fabric::mpi::objects()) {
            d.mpis.push_back({std::move(o.name), std::move(o.path)});
        }
        d.mpi_folders = fabric::mpi::folders();
    }
    d.processes = detail::processes::started_as(options::from_environment().mpi).ranks;
    return d;
}

} // namespace skerry::inline SKERRY_ABI
