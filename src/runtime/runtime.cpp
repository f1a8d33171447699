// SPDX-License-Identifier: Apache-2.0

#include <skerry/runtime.hpp>

#include "base/port/cpu_limits.hpp"
#include "runtime/engine.hpp"

namespace skerry::inline SKERRY_ABI {

runtime::runtime(const options& o) : engine_(std::make_unique<detail::engine>(o)) {}
runtime::~runtime() = default;

runtime::entry::entry(runtime& r)
    : engine_([&r]() -> detail::engine& {
          if (r.engine_->crew().orphaned()) { // a forked child: the threads are not here
              const options o = r.engine_->settings();
              // Let go without its end: its locks may be held by threads of the parent process.
              const detail::engine& of_parent = *r.engine_.release();
              r.engine_ = std::make_unique<detail::engine>(o);
              r.engine_->inherit_root(of_parent);
          }
          return *r.engine_;
      }()) {
    engine_.enter();
    try {
        engine_.join_processes();
    } catch (...) {
        detail::engine::leave();
        throw;
    }
}
runtime::entry::~entry() { detail::engine::leave(); }

region runtime::root_region() { return region(engine_->root()); }
statistics runtime::stats() const noexcept { return engine_->stats(); }
std::vector<executor_statistics> runtime::executors() const { return engine_->executors(); }
unsigned runtime::workers() const noexcept { return engine_->settings().workers; }

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
    return d;
}

} // namespace skerry::inline SKERRY_ABI
