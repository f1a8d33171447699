// SPDX-License-Identifier: Apache-2.0

// skerry-reproduce MACHINE PROGRAM: one run of a program of Table III on a simulated machine, as a row of JSON. `skerry
// reproduce` starts it, and the parallel variant steals by interrupt where the machine has them.

#include "exit_code.hpp"
#include "reproduce/run.hpp"
#include "simulator/machine.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/simulation.hpp"

namespace {

int report(int code, std::string_view text) {
    fmt::print(stderr, "skerry-reproduce: {}\n", text);
    return code;
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const cli::reproduced_program& p : cli::reproduced_programs()) {
        all.emplace_back(p.parallel().info.name);
    }
    return all;
}

nlohmann::ordered_json row_of(const std::string& machine, const cli::reproduced_run& run, std::uint64_t seed,
                              const skerry_sim::statistics& seen) {
    const skerry_sim::core_statistics& t = seen.total;
    nlohmann::ordered_json sites = nlohmann::ordered_json::array();
    for (const skerry_sim::stale_site& s : seen.stale_sites) {
        sites.push_back(s.text());
    }
    return {{"program", run.program},
            {"machine", machine},
            {"variant", run.serial ? "serial" : "parallel"},
            {"problem", run.problem},
            {"seed", seed},
            {"check", {{"ok", run.ok}, {"text", run.verdict}}},
            {"stale_reads", t.stale_reads},
            {"stale_sites", sites},
            {"cycles", t.cycles},
            {"instructions", t.instructions},
            {"loads", t.loads},
            {"stores", t.stores},
            {"load_misses", t.load_misses},
            {"store_misses", t.store_misses},
            {"l2_misses", seen.l2_misses},
            {"atomics", t.atomics},
            {"discards", t.discards},
            {"lines_discarded", t.lines_discarded},
            {"publishes", t.publishes},
            {"lines_published", t.lines_published},
            {"interrupts_sent", t.interrupts_sent},
            {"interrupts_accepted", t.interrupts_accepted},
            {"tasks", run.tasks},
            {"stolen", run.stolen},
            {"foreign_pages", seen.foreign_pages}};
}

int simulate(const std::string& machine, cli::reproduced_run& run, std::uint64_t seed, const std::string& to) {
    skerry_sim::settings set;
    set.stale = skerry_sim::stale_mode::emulate; // what the hardware would do
    set.only_interest = true;
    set.seed = seed;
    skerry_sim::simulation simulation(cli::machine_called(machine), set);
    run.interrupts = simulation.machine().interrupts.has_value();
    const skerry_sim::statistics& seen = simulation.run(&cli::run_reproduced, &run);
    const std::string text = row_of(machine, run, seed, seen).dump(2) + "\n";
    if (to.empty()) {
        fmt::print("{}", text);
    } else {
        errno = 0;
        std::ofstream out(to);
        out << text << std::flush;
        if (!out) {
            const int wrong = errno;
            return report(cli::exit_not_written,
                          fmt::format("cannot write {}: {}", to, std::generic_category().message(wrong)));
        }
    }
    return run.ok && seen.total.stale_reads == 0 ? cli::exit_ok : cli::exit_check_failed;
}

} // namespace

int main(int argc, char** argv) {
    std::string machine;
    std::string size{apps::name_of(apps::size::small)};
    std::string to;
    std::uint64_t seed = 0;
    static cli::reproduced_run run; // static: what the host's stack holds is not the simulated machine's

    CLI::App app("A program of Table III on a simulated machine", "skerry-reproduce");
    app.add_option("MACHINE", machine, "A description in machines/ and a configuration, such as tiny-64/hcc-gwb")
        ->required();
    app.add_option("PROGRAM", run.program, "Its name in 'skerry list'")->required()->check(CLI::IsMember(names()));
    app.add_flag("--serial", run.serial, "The serial elision, on core 0");
    app.add_option("--size", size)
        ->check(CLI::IsMember(std::vector<std::string>(apps::size_names.begin(), apps::size_names.end())));
    app.add_option("--granularity", run.options.granularity);
    app.add_option("--seed", seed, "Not 0: of the noise on trips to the shared cache");
    app.add_option("--row-to", to, "Write the row to this file");
    try {
        app.parse(argc, argv);
        run.options.size =
            static_cast<apps::size>(std::ranges::find(apps::size_names, size) - apps::size_names.begin());
        return simulate(machine, run, seed, to);
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0 ? app.exit(e) : report(cli::exit_usage, e.what());
    } catch (const skerry_sim::bad_machine& e) {
        return report(cli::exit_usage, e.what());
    } catch (const std::invalid_argument& e) {
        return report(cli::exit_usage, e.what());
    } catch (const std::exception& e) {
        return report(cli::exit_failure, e.what());
    }
}
