// SPDX-License-Identifier: Apache-2.0

// skerry-sim MACHINE PROGRAM: a program of declared accesses, or one of Ligra's, on a simulated machine. `skerry run
// PROGRAM --on sim:MACHINE` starts it.

#include "exit_code.hpp"
#include "simulator/machine.hpp"
#include "simulator/simulated.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <skerry/runtime.hpp>

#include "sim/port/trace.hpp"
#include "sim/simulation.hpp"

namespace {

int report(cli::exit_code code, std::string_view text) {
    fmt::print(stderr, "skerry-sim: {}\n", text);
    return code;
}

// Where the trace goes, and how many bytes each core's newest events may take.
struct trace_flags {
    std::string path;
    std::size_t memory = skerry::options().trace_memory;
};

int simulate(const std::string& machine, cli::simulated_run& run, const std::string& to, const trace_flags& trace) {
    skerry_sim::settings set;
    set.stale = skerry_sim::stale_mode::emulate; // what the hardware would do
    set.livelock_cycles = 2'000'000'000;         // a check of 5 million edges only reads, for more than 100 million
    skerry_sim::simulation simulation(cli::machine_called(machine), set);
    if (run.steal.empty()) {
        run.steal = simulation.machine().interrupts ? "interrupt" : "locked";
    }
    if (!trace.path.empty()) {
        skerry::port::listen(simulation.machine().cores.count, trace.memory);
        skerry::port::write_trace(trace.path); // now, rather than after the run, it is known whether it can be written
    }
    const skerry_sim::statistics& seen = simulation.run(&cli::run_simulated, &run);

    if (!trace.path.empty()) {
        skerry::port::write_trace(trace.path);
    }
    cli::back_end_row& row = run.row;
    row.back_end = "sim:" + machine;
    row.ok = row.ok && seen.total.stale_reads == 0;
    for (const skerry_sim::stale_site& s : seen.stale_sites) {
        row.verdict += "; " + s.text();
    }
    if (to.empty()) {
        fmt::print("{}\n", cli::json_of(row).dump(2));
    } else {
        cli::write_row(row, to);
    }
    return row.ok ? cli::exit_ok : cli::exit_check_failed;
}

} // namespace

int main(int argc, char** argv) {
    std::string machine;
    std::string size{apps::name_of(apps::size::small)};
    std::string to;
    trace_flags trace;
    unsigned repeat = 1;
    static cli::simulated_run run; // static: what the host's stack holds is not the simulated machine's

    CLI::App app("Skerry on a simulated machine", "skerry-sim");
    app.add_option("MACHINE", machine,
                   "A description in machines/, such as tiny4-gwb, or one and a configuration: "
                   "tiny-64/hcc-gwb")
        ->required();
    app.add_option("PROGRAM", run.program, "digits, jacobi, ligra-bfs, list, mixed or sparselu")
        ->required()
        ->check(CLI::IsMember(cli::simulated_programs()));
    app.add_option("--size", size)
        ->check(CLI::IsMember(std::vector<std::string>(apps::size_names.begin(), apps::size_names.end())));
    app.add_option("--input", run.options.input, "digits: a file of images; jacobi: a photograph; sparselu: a graph");
    app.add_option("--train", run.options.train, "digits: only the first so many images");
    app.add_option("--seed", run.options.seed);
    app.add_option("--granularity", run.options.granularity);
    app.add_option("--steal", run.steal,
                   "locked or interrupt; on coherent caches also asymmetric; neither: interrupt, if "
                   "the machine has them");
    app.add_option("--repeat", repeat, "Accepted, and of no effect: every run takes the same cycles");
    app.add_option("--row-to", to, "Write the row as JSON to this file");
    app.add_option("--trace", trace.path, "Write what every core did to this file, for ui.perfetto.dev");
    app.add_option("--trace-memory", trace.memory, "Bytes of newest events that each core keeps");
    try {
        app.parse(argc, argv);
        run.options.size =
            static_cast<apps::size>(std::ranges::find(apps::size_names, size) - apps::size_names.begin());
        return simulate(machine, run, to, trace);
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0 ? app.exit(e) : report(cli::exit_usage, e.what());
    } catch (const std::invalid_argument& e) {
        return report(cli::exit_usage, e.what());
    } catch (const skerry_sim::bad_machine& e) {
        return report(cli::exit_usage, e.what());
    } catch (const apps::input_error& e) {
        return report(cli::exit_bad_input, e.what());
    } catch (const std::exception& e) {
        return report(cli::exit_failure, e.what());
    }
}
