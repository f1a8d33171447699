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

constexpr unsigned most = 4;

// What the cores share; in static data, so that they touch nothing that the system places.
struct shared_state {
    body what{};
    unsigned endpoints = 0;
    // Each core takes its own over. That it has cannot be told here: one that is killed takes what it wrote along.
    fabric::endpoint* ends[most]{};
    std::string said[most];
    std::optional<simulated_aside> beside;
};
shared_state shared;

void run_end(unsigned i) {
    if (auto& beside = shared.beside) {
        shared.said[i] = run_here(shared.what, std::unique_ptr<fabric::endpoint>(shared.ends[i]), *beside);
    }
}

} // namespace

outcome run_simulated(const body& b, const char* machine, const skerry_sim::settings& set, unsigned endpoints) {
    expect(endpoints <= most, "no machine here has so many cores");
    shared.what = b;
    shared.endpoints = endpoints;
    shared.beside.emplace();
    skerry_sim::simulation simulation(skerry_sim::read_machine(std::filesystem::path(SKERRY_MACHINES) / machine), set);
    outcome result;
    result.counts = simulation.run(
        [](void*) {
            const unsigned n = shared.endpoints;
            std::vector<std::unique_ptr<fabric::endpoint>> made = fabric::sim::make(n);
            for (unsigned i = 0; i < n; ++i) {
                shared.ends[i] = made[i].release();
            }
            constexpr void (*run[])(void*) = {[](void*) { run_end(0); }, [](void*) { run_end(1); },
                                              [](void*) { run_end(2); }, [](void*) { run_end(3); }};
            unsigned others[most]{};
            for (unsigned i = 1; i < n; ++i) {
                others[i] = skerry_sim::start_thread(run[i], nullptr);
            }
            run_end(0);
            for (unsigned i = 1; i < n; ++i) {
                skerry_sim::join_thread(others[i]);
            }
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
