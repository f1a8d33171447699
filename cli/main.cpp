// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <skerry/launch.hpp>

namespace {

constexpr unsigned most_repeats = 1000;
// As the environment variables accept.
constexpr unsigned most_workers = 4096;
constexpr double longest_watchdog = 1e6;
constexpr unsigned most_seeds = 100;
constexpr unsigned most_passes = 1'000'000;

// What is an enumeration in the request and a word on the command line, and what is there always, given or not.
struct words_of_run {
    std::string size{apps::name_of(apps::size::medium)};
    std::string steal;
    std::string device_memory;
    std::string task_manager;
    std::vector<std::string> inputs;
    bool pin = false;
    bool guard_accesses = false;
};

template <class Enumeration>
Enumeration enumerator(std::span<const std::string_view> names, std::string_view name) {
    return static_cast<Enumeration>(std::find(names.begin(), names.end(), name) - names.begin());
}

void add_info(CLI::App& app, cli::info_request& request) {
    auto* command = app.add_subcommand("info", "Workers, limits and where they come from, topology");
    command->add_flag("--json", request.json, "Print JSON");
    command->footer("Example:\n  skerry info\n");
}

void add_list(CLI::App& app, cli::list_request& request) {
    auto* command = app.add_subcommand("list", "The programs that 'run' knows");
    command->add_flag("--json", request.json, "Print JSON");
    command->footer("Example:\n  skerry list\n");
}

void add_launch(CLI::App& app, cli::launch_request& request) {
    auto* command = app.add_subcommand("launch", "Run a program as several processes that work together");
    command->add_option("-n,--processes", request.processes, "How many")
        ->check(CLI::Range(1U, skerry::most_processes))
        ->capture_default_str();
    // The program's own arguments are not ours to read, whatever they look like.
    command->prefix_command();
    command->footer("Exit status:\n"
                    "  0  every process ended with 0\n"
                    "  otherwise that of the first that did not, or 128 and the number of the signal that killed it\n\n"
                    "Each process finds SKERRY_RANK, SKERRY_RANKS and SKERRY_FABRIC_FD in its environment; they are\n"
                    "between this command and the library. If SKERRY_WORKERS is not set, each gets its share of\n"
                    "the workers that the machine allows.\n\n"
                    "Example:\n  skerry launch -n 2 ./program --its-own-option\n");
}

// An empty word would count as none.
const CLI::Validator not_empty(
    [](const std::string& word) { return std::string(word.empty() ? "the name is empty" : ""); }, "", "not_empty");

void add_runtime_flags(CLI::App& command, cli::runtime_flags& flags, words_of_run& words) {
    const char* group = "The runtime, instead of the environment variable";
    command.add_option("--workers", flags.workers, "SKERRY_WORKERS; neither: as many as the machine allows")
        ->check(CLI::Range(1U, most_workers))
        ->group(group);
    command.add_flag("--pin,!--no-pin", words.pin, "SKERRY_PIN: each worker stays on its own logical CPU")
        ->group(group);
    command.add_option("--stack-size", flags.stack_size, "SKERRY_STACK_SIZE: of a worker, such as 8M")
        ->transform(CLI::AsSizeValue(false))
        ->group(group);
    command.add_option("--max-slots", flags.max_slots, "SKERRY_MAX_SLOTS: threads inside the runtime at a time")
        ->group(group);
    command
        .add_option("--blocking-threads", flags.blocking_threads,
                    "SKERRY_BLOCKING_THREADS: at most so many stand in for blocked ones")
        ->group(group);
    command.add_option("--steal", words.steal, "SKERRY_STEAL: automatic, asymmetric, locked or interrupt")
        ->check(CLI::IsMember(std::vector<std::string>(cli::steal_names.begin(), cli::steal_names.end())))
        ->option_text("MODE")
        ->group(group);
    command
        .add_flag("--guard-accesses,!--no-guard-accesses", words.guard_accesses,
                  "SKERRY_GUARD_ACCESSES: debug builds close what a task of another process has not declared")
        ->group(group);
    command
        .add_option("--mpi", flags.mpi, "SKERRY_MPI: automatic, openmpi, mpich, off, or the path of a shared object")
        ->check(not_empty)
        ->option_text("MPI")
        ->group(group);
    command
        .add_option("--watchdog", flags.watchdog_seconds,
                    "SKERRY_WATCHDOG: seconds before a wait or a task is reported")
        ->check(CLI::Range(0.0, longest_watchdog))
        ->group(group);
    command.add_option("--trace", flags.trace, "SKERRY_TRACE: write what every worker did, for ui.perfetto.dev")
        ->option_text("FILE")
        ->group(group);
    command
        .add_option("--trace-memory", flags.trace_memory,
                    "SKERRY_TRACE_MEMORY: bytes of newest events that each thread keeps, such as 8M")
        ->transform(CLI::AsSizeValue(false))
        ->group(group);
    command
        .add_option("--devices", flags.devices,
                    "SKERRY_DEVICES: auto, none, all, or a list such as opencl,emulated:speed=0.25")
        ->option_text("LIST")
        ->group(group);
    command.add_option("--device-memory", words.device_memory, "SKERRY_DEVICE_MEMORY: automatic or private")
        ->check(
            CLI::IsMember(std::vector<std::string>(cli::device_memory_names.begin(), cli::device_memory_names.end())))
        ->option_text("MODE")
        ->group(group);
    command.add_option("--task-manager", words.task_manager, "SKERRY_TASK_MANAGER: software or nexus-model")
        ->check(CLI::IsMember(std::vector<std::string>(cli::task_manager_names.begin(), cli::task_manager_names.end())))
        ->option_text("NAME")
        ->group(group);
}

void add_run(CLI::App& app, cli::run_request& request, words_of_run& words) {
    auto* command = app.add_subcommand("run", "Run a program, or all: check the result, compare with serial code");
    command
        ->add_option("PROGRAM", request.program, "Its name (see 'skerry list'), all, or systems: a row for each system")
        ->required();
    command
        ->add_option("--size", words.size,
                     "tiny, small, medium (the default; of systems small) or paper: Table III's input and granularity")
        ->check(CLI::IsMember(std::vector<std::string>(apps::size_names.begin(), apps::size_names.end())))
        ->option_text("SIZE");
    command
        ->add_option("--input", words.inputs,
                     "Instead of generated input: wordnet, or a file (edge list of SNAP, KONECT or networkx, Matrix "
                     "Market, Ligra adjacency); digits: images; jacobi: china, flower, generated, or a PPM; may be "
                     "packed by gzip; "
                     "packets: a capture, one or more times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check(not_empty);
    command->add_option("--from", request.options.from, "Where a path begins: a vertex, or a word")->check(not_empty);
    command->add_option("--to", request.options.to, "Where the path ends")->check(not_empty);
    command->add_option("--train", request.options.train, "digits: only the first so many images")
        ->check(CLI::PositiveNumber)
        ->option_text("N");
    command->add_option("--output", request.options.output, "packets: write those that go out to this file, as pcap")
        ->check(not_empty)
        ->option_text("FILE");
    command->add_option("--passes", request.options.passes, "packets: so many times over the input")
        ->check(CLI::Range(1U, most_passes))
        ->option_text("N");
    command->add_option("--cores", request.options.cores, "packets, motion: threads that receive events")
        ->check(CLI::Range(1U, 64U))
        ->option_text("N");
    command->add_option("--seed", request.options.seed, "Of generated input")->capture_default_str();
    command->add_option("--granularity", request.options.granularity, "Of the smallest task, instead of the size's")
        ->check(CLI::PositiveNumber);
    command->add_option("--repeat", request.repeat, "Timed runs of each variant (5; with all: 3)")
        ->check(CLI::Range(1U, most_repeats));
    command
        ->add_option("--copies", request.copies,
                     "Also time so many copies of the serial elision side by side, a process and a CPU for each")
        ->check(CLI::Range(1U, most_workers))
        ->option_text("N");
    command->add_flag("--json", request.json, "Print JSON");
    auto* on = command->add_option("--on", request.on,
                                   "On these back ends, results compared: serial, threads, processes:N, mpi:N, "
                                   "sim:MACHINE; of kernels also hybrid, device:NAME");
    on->delimiter(',')->option_text("LIST");
    command->add_option("--row-to", request.row_to, "With one back end: write its row as JSON to this file")
        ->needs(on)
        ->option_text("FILE");
    add_runtime_flags(*command, request.runtime, words);
    command->footer(
        fmt::format("Examples:\n"
                    "  skerry run cilk5-cs --size paper --workers 2\n"
                    "  skerry run bfs --from dog --to ship\n"
                    "  skerry run digits --train 1000\n"
                    "  skerry run digits --on serial,threads,processes:2\n"
                    "  skerry run digits --on serial,mpi:2\n"
                    "  skerry run knn --on serial,threads,hybrid\n"
                    "  skerry run all --repeat 1 --json\n"
                    "  skerry run systems\n\n"
                    "With --on, a flag of the runtime goes to each back end that has a use for it, and is an error\n"
                    "if none has: threads, hybrid, device:NAME, processes:N and mpi:N (each of them) have for all,\n"
                    "sim:MACHINE for --steal, --trace and --trace-memory, serial for the last two.\n\n{}",
                    cli::exit_code_help));
}

void add_reproduce(CLI::App& app, cli::reproduce_request& request) {
    auto* command =
        app.add_subcommand("reproduce", "Run a paper's experiment on simulated machines, and print its table");
    command->add_option("EXPERIMENT", request.experiment, "hcc-dts: Table III of the paper whose programs 'list' names")
        ->required();
    command->add_flag("--quick", request.quick, "Small inputs, one seed; so far the only form that there is");
    command->add_option("--seeds", request.seeds, "Runs of each with so many seeds; medians, and their spread")
        ->check(CLI::Range(1U, most_seeds))
        ->capture_default_str();
    command->add_option("--programs", request.programs, "Only these, divided by commas")
        ->delimiter(',')
        ->check(not_empty)
        ->option_text("LIST");
    command->add_option("--to", request.to, "The folder of its rows and tables; what is there already is not run again")
        ->check(not_empty)
        ->option_text("DIR")
        ->capture_default_str();
    command->add_option("--jobs", request.jobs, "So many runs at a time; as many as the machine has processors")
        ->check(CLI::Range(1U, most_workers))
        ->option_text("N");
    command->footer(fmt::format("Example:\n  skerry reproduce hcc-dts --quick\n\n{}", cli::exit_code_help));
}

// CLI11 says only that a subcommand is required when the first word is none.
std::string text_of(const CLI::ParseError& e, int argc, char** argv) {
    if (argc > 1 && argv[1][0] != '-' && dynamic_cast<const CLI::RequiredError*>(&e) != nullptr) {
        const std::string_view word = argv[1];
        if (word != "info" && word != "launch" && word != "list" && word != "reproduce" && word != "run") {
            return fmt::format("there is no command '{}'; the commands are info, launch, list, reproduce and run",
                               word);
        }
    }
    return fmt::format("{}; see 'skerry --help'", e.what());
}

// What the parser is to see: all but a '--' between the options of 'launch' and the program, which it would take for
// its own.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == "launch") {
        std::size_t i = 1;
        while (i < words.size() && words[i].starts_with('-') && words[i] != "--") {
            i += words[i] == "-n" || words[i] == "--processes" ? 2 : 1;
        }
        if (i < words.size() && words[i] == "--") {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    std::reverse(words.begin(), words.end()); // as CLI11 takes a vector
    return words;
}

int report(cli::exit_code code, std::string_view text) {
    constexpr std::string_view name = "skerry: "; // with which the library's own texts begin
    fmt::print(stderr, "{}{}\n", text.starts_with(name) ? "" : name, text);
    return code;
}

} // namespace

int main(int argc, char** argv) {
    cli::info_request info_request;
    cli::launch_request launch_request;
    cli::list_request list_request;
    cli::reproduce_request reproduce_request{.experiment = {},
                                             .quick = false,
                                             .seeds = 1,
                                             .jobs = std::max(1U, std::thread::hardware_concurrency()),
                                             .to = "hcc-dts-quick",
                                             .programs = {}};
    cli::run_request run_request;
    words_of_run words;

    CLI::App app("Skerry: task parallelism for C++20, on real programs", "skerry");
    app.set_version_flag("--version", "skerry " SKERRY_VERSION);
    app.require_subcommand(1);
    app.footer(fmt::format("Example:\n  skerry run all\n\n{}", cli::exit_code_help));
    add_info(app, info_request);
    add_launch(app, launch_request);
    add_list(app, list_request);
    add_reproduce(app, reproduce_request);
    add_run(app, run_request, words);

    try {
        app.parse(words_of(argc, argv));
        if (app.got_subcommand("info")) {
            return cli::info(info_request);
        }
        if (app.got_subcommand("list")) {
            return cli::list(list_request);
        }
        if (app.got_subcommand("reproduce")) {
            return cli::reproduce(reproduce_request);
        }
        if (const CLI::App* const command = app.get_subcommand("launch"); command->parsed()) {
            launch_request.command = command->remaining();
            if (launch_request.command.empty()) {
                return report(cli::exit_usage, "launch: PROGRAM is required; see 'skerry launch --help'");
            }
            return cli::launch(launch_request);
        }
        run_request.options.size = enumerator<apps::size>(apps::size_names, words.size);
        if (!words.inputs.empty()) {
            run_request.options.input = words.inputs.front();
            run_request.options.more_inputs.assign(words.inputs.begin() + 1, words.inputs.end());
        }
        if (!words.steal.empty()) {
            run_request.runtime.steal = enumerator<skerry::steal_mode>(cli::steal_names, words.steal);
        }
        if (!words.device_memory.empty()) {
            run_request.runtime.device_memory =
                enumerator<skerry::device_memory>(cli::device_memory_names, words.device_memory);
        }
        if (!words.task_manager.empty()) {
            run_request.runtime.task_manager =
                enumerator<skerry::task_manager_kind>(cli::task_manager_names, words.task_manager);
        }
        const CLI::App& command = *app.get_subcommand("run");
        if (run_request.program == "systems" && command.count("--size") == 0) {
            run_request.options.size = apps::size::small;
        }
        if (command.count("--pin") != 0) {
            run_request.runtime.pin = words.pin;
        }
        if (command.count("--guard-accesses") != 0) {
            run_request.runtime.guard_accesses = words.guard_accesses;
        }
        return cli::run(run_request);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return app.exit(e);
        }
        return report(cli::exit_usage, text_of(e, argc, argv));
    } catch (const apps::usage_error& e) {
        return report(cli::exit_usage, e.what());
    } catch (const std::invalid_argument& e) { // an option of the runtime
        return report(cli::exit_usage, e.what());
    } catch (const apps::input_error& e) {
        return report(cli::exit_bad_input, e.what());
    } catch (const cli::already_said& elsewhere) {
        return elsewhere.code;
    } catch (const std::bad_alloc&) {
        return report(cli::exit_failure, "out of memory; a smaller --size may do");
    } catch (const std::exception& e) {
        return report(cli::exit_failure, e.what());
    }
}
