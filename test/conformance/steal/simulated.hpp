// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a program of the library on a simulated machine. Included by sources that are compiled for simulated cores.

#include <filesystem>
#include <string>

#include <skerry/runtime.hpp>

#include "runtime/engine.hpp"
#include "sim/port/faults.hpp"
#include "sim/program.hpp"
#include "sim/simulation.hpp"

namespace skerry_test {

inline skerry_sim::machine_description machine_named(const char* name) {
    return skerry_sim::read_machine(std::filesystem::path(SKERRY_MACHINES) / name);
}

// Private caches that are large enough for all that these programs have.
inline skerry_sim::machine_description with_large_caches(const char* file) {
    skerry_sim::machine_description large = machine_named(file);
    large.l1.bytes = 1U << 20U;
    large.l1.ways = 8;
    return large;
}

// All workers of a machine, which thieves reach by `steal`.
inline skerry::options all_cores(skerry::steal_mode steal) {
    skerry::options o;
    o.workers = skerry_sim::cores();
    o.steal = steal;
    return o;
}

// The stale reads of a run, one line each.
inline std::string stale_reads(const skerry_sim::statistics& s) {
    std::string text;
    for (const auto& site : s.stale_sites) {
        text += site.text() + '\n';
    }
    return text;
}

} // namespace skerry_test
