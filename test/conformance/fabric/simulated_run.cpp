// SPDX-License-Identifier: Apache-2.0
#include "simulated_run.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "sim/fabric/fabric_sim.hpp"
#include "sim/program.hpp"
#include "simulated_aside.hpp"

namespace skerry::fabric_test {

namespace {

constexpr unsigned endpoints = 2;

// What the cores share; in static data, so that they touch nothing that the system places.
struct shared_state {
    body what{};
    std::vector<std::unique_ptr<fabric::endpoint>> ends;
    std::string said[endpoints];
    std::optional<simulated_aside> beside;
};
shared_state shared;

void run_end(unsigned i) {
    if (auto& beside = shared.beside) {
        shared.said[i] = run_here(shared.what, std::move(shared.ends[i]), *beside);
    }
}

} // namespace

outcome run_simulated(const body& b, const char* machine, const skerry_sim::settings& set) {
    shared.what = b;
    shared.beside.emplace();
    skerry_sim::simulation simulation(skerry_sim::read_machine(std::filesystem::path(SKERRY_MACHINES) / machine), set);
    outcome result;
    result.counts = simulation.run(
        [](void*) {
            shared.ends = fabric::sim::make(endpoints);
            const unsigned other = skerry_sim::start_thread([](void*) { run_end(1); }, nullptr);
            run_end(0);
            skerry_sim::join_thread(other);
            std::vector<std::unique_ptr<fabric::endpoint>>().swap(shared.ends);
        },
        nullptr);
    for (std::string& s : shared.said) {
        result.said += s;
        s = {};
    }
    return result;
}

const body& body_named(std::string_view name) {
    for (const body& b : bodies()) {
        if (b.name == name) {
            return b;
        }
    }
    throw failed("there is no such body");
}

} // namespace skerry::fabric_test
