// SPDX-License-Identifier: Apache-2.0

// Compiled for simulated cores, as the library and the programs beside it.

#include "simulator/simulated.hpp"

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <skerry/runtime.hpp>

#include "sim/program.hpp"

namespace apps::parallel {
entry entry_cilk5_nq();
entry entry_digits();
entry entry_jacobi();
entry entry_ligra_bfs();
entry entry_list();
entry entry_mixed();
entry entry_sparselu();
} // namespace apps::parallel

namespace cli {

namespace {

constexpr std::array entries{&apps::parallel::entry_cilk5_nq, &apps::parallel::entry_digits,
                             &apps::parallel::entry_jacobi,   &apps::parallel::entry_ligra_bfs,
                             &apps::parallel::entry_list,     &apps::parallel::entry_mixed,
                             &apps::parallel::entry_sparselu};

skerry::steal_mode steal_of(std::string_view name) {
    constexpr std::array<std::string_view, 4> names{"automatic", "asymmetric", "locked", "interrupt"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) {
            return static_cast<skerry::steal_mode>(i);
        }
    }
    throw std::invalid_argument("--steal is automatic, asymmetric, locked or interrupt");
}

} // namespace

std::vector<std::string> simulated_programs() {
    std::vector<std::string> names;
    names.reserve(std::size(entries));
    for (const auto& e : entries) {
        names.emplace_back(e().info.name);
    }
    return names;
}

void run_simulated(void* argument) {
    simulated_run& run = *static_cast<simulated_run*>(argument);
    skerry::options o;
    o.workers = skerry_sim::cores();
    o.steal = steal_of(run.steal);
    skerry::runtime workers(o);
    std::unique_ptr<apps::instance> instance;
    for (const auto& e : entries) {
        const apps::entry entry = e();
        if (entry.info.name == run.program) {
            workers.run([&] { instance = entry.make(run.options); });
        }
    }
    workers.run([&] { instance->reset(); });
    const std::uint64_t begin = skerry_sim::now();
    workers.run([&] { instance->run(); });
    run.row.cycles = skerry_sim::now() - begin;
    run.row.problem = instance->problem();
    for (const skerry::executor_statistics& e : workers.executors()) {
        run.row.executors.push_back({"core" + e.name.substr(e.name.find(' ')), e.tasks, e.stolen});
    }
    const apps::verdict v = instance->check();
    run.row.ok = v.ok;
    run.row.verdict = v.text;
    run.row.output = instance->print();
    run.row.digest = instance->digest();
    workers.run([&] { instance.reset(); });
}

} // namespace cli
