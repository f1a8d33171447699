// SPDX-License-Identifier: Apache-2.0

// The back end `sim`: programs run on two and four simulated cores, with private caches that software keeps coherent,
// old values where the hardware would give old values, both steal protocols that such caches have, and both protocols
// of such caches. A round is a process.

#include <stdexcept>
#include <string>

#include "../conformance/steal/simulated.hpp"
#include "interpreter.hpp"
#include "simulated.hpp"

namespace random_programs {

namespace {

// Static: what the host's stack holds is not the simulated machine's.
struct run_of {
    const program* what;
    std::uint32_t number;
    cores_used by;
    outcome expected;
    outcome found;
    spread counts;
};
run_of now{};

void run_simulated(void* /*none*/) {
    skerry::serial::runtime serial; // here, since objects are not for the host: their regions' locks are simulated
    now.expected = interpreter<serial_constructs>::run(serial, *now.what, now.number);
    skerry::options with = skerry_test::all_cores(now.by.steal);
    with.workers = now.by.workers;
    skerry::runtime rt(with);
    now.found = interpreter<parallel_constructs>::run(rt, *now.what, now.number);
    for (const auto& e : rt.executors()) {
        if (e.name != "worker " + std::to_string(e.domain)) { // each core's cache is a domain of its own
            throw std::logic_error(e.name + " runs in domain " + std::to_string(e.domain));
        }
        now.counts.tasks += e.tasks;
        now.counts.elsewhere += e.name == "worker 0" ? 0 : e.tasks;
    }
}

} // namespace

int run_round(std::span<const choices> list, cores_used by, unsigned patience_seconds) {
    std::vector<program> programs;
    for (const choices& c : list) {
        programs.push_back(made_of(c));
    }
    install(programs);
    now.by = by;
    skerry_sim::machine_description machine = skerry_test::machine_named("tiny4-gwb.toml");
    machine.l1.protocol = skerry_sim::protocol_named(by.protocol);
    machine.l1.write_buffer = 8;
    return run_programs(
        programs, patience_seconds,
        [&](std::uint32_t i) {
            now.what = &programs[i];
            now.number = i;
            skerry_sim::settings set;
            set.stale = skerry_sim::stale_mode::emulate;
            set.seed = i + 1;
            set.livelock_cycles = 20'000'000;
            set.most_cycles = 1'000'000'000;
            skerry_sim::simulation simulation(machine, set);
            const skerry_sim::statistics& s = simulation.run(&run_simulated, nullptr);
            return difference(programs[i], now.expected, now.found) + skerry_test::stale_reads(s);
        },
        [] { return now.counts; });
}

back_end this_back_end(unsigned patience_seconds) {
    const auto run = [patience_seconds](unsigned variant, std::span<const choices> list) {
        constexpr cores_used by[] = {{skerry::steal_mode::locked},
                                     {skerry::steal_mode::interrupt},
                                     {skerry::steal_mode::locked, 2}, // seldom is one free for what a wait leaves
                                     {skerry::steal_mode::locked, 4, "gpu-wt"},
                                     {skerry::steal_mode::interrupt, 4, "gpu-wt"}};
        return skerry_test::run_in_child([&] { return run_round(list, by[variant], patience_seconds); });
    };
    return {.run = run, .variants = 5, .seconds = 3, .fewest = 600, .percent_elsewhere = 30};
}

std::optional<int> run_launched(int /*argc*/, char** /*argv*/) { return std::nullopt; }

} // namespace random_programs
