// SPDX-License-Identifier: Apache-2.0
#include "back_ends.hpp"
#include "commands.hpp"
#include "flags.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "systems.hpp"

#include <cstdio>
#include <iostream>
#include <optional>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

namespace cli {

namespace {

constexpr unsigned repeat_one = 5;
constexpr unsigned repeat_all = 3;

void print_now(const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
}

const apps::program& wanted(const std::string& name) {
    const apps::program* program = apps::find_program(name);
    if (program == nullptr) {
        throw apps::usage_error(fmt::format("there is no program '{}'; did you mean '{}'? 'skerry list' names them all",
                                            name, apps::nearest_program(name)));
    }
    return *program;
}

void refuse_senseless_options(const apps::program_info& info, const run_request& request) {
    const apps::options& options = request.options;
    if (!options.input.empty() && !info.takes_input) {
        throw apps::usage_error(fmt::format("{} takes no --input (it was '{}')", info.name, options.input));
    }
    if (!options.more_inputs.empty() && !info.takes_inputs) {
        throw apps::usage_error(fmt::format("{} takes one --input, not {}", info.name, 1 + options.more_inputs.size()));
    }
    if (!options.output.empty() && !info.takes_output) {
        throw apps::usage_error(fmt::format("{} takes no --output (it was '{}')", info.name, options.output));
    }
    if (!options.output.empty() && request.copies != 0) {
        throw apps::usage_error("--copies does not go with --output, which each copy would write");
    }
    if (options.passes != 0 && !info.takes_passes) {
        throw apps::usage_error(fmt::format("{} takes no --passes (it was {})", info.name, options.passes));
    }
    if (options.cores != 0 && !info.takes_cores) {
        throw apps::usage_error(fmt::format("{} takes no --cores (it was {})", info.name, options.cores));
    }
    if ((!options.from.empty() || !options.to.empty()) && !info.takes_path) {
        throw apps::usage_error(fmt::format("{} takes neither --from nor --to", info.name));
    }
    if (options.train != 0 && !info.takes_train) {
        throw apps::usage_error(fmt::format("{} takes no --train (it was {})", info.name, options.train));
    }
    if (info.of == apps::system::several && request.runtime.task_manager == skerry::task_manager_kind::software) {
        throw apps::usage_error(fmt::format("{} needs a task manager: leave --task-manager software out", info.name));
    }
}

void refuse_options_of_one(const run_request& request) {
    const apps::options& given = request.options;
    if (!given.input.empty() || !given.output.empty() || !given.from.empty() || !given.to.empty() || given.train != 0 ||
        given.passes != 0 || given.cores != 0) {
        throw apps::usage_error(fmt::format(
            "--input, --output, --from, --to, --train, --passes and --cores go with one program, not with '{}'",
            request.program));
    }
}

exit_code run_one(const run_request& request, const run_settings& settings, skerry::runtime& workers) {
    const apps::program& program = wanted(request.program);
    refuse_senseless_options(program.info, request);
    trace_cores(program.info, request.runtime);
    measurement result;
    {
        progress shown(std::cerr, isatty(STDERR_FILENO) == 1);
        result = measure(program, request.options, settings.repeat, request.copies, workers, shown);
    }
    print_now(request.json ? as_json({&result, 1}, settings) : detailed(result, settings));
    return status_of({&result, 1});
}

exit_code run_all(const run_request& request, const run_settings& settings, skerry::runtime& workers) {
    refuse_options_of_one(request);
    progress shown(std::cerr, isatty(STDERR_FILENO) == 1);
    std::vector<measurement> all;
    const auto add = [&](const apps::program& program, const std::string& input) {
        apps::options options = request.options;
        options.input = input;
        measurement m;
        try {
            m = measure(program, options, settings.repeat, request.copies, workers, shown);
        } catch (const apps::input_missing& missing) {
            m.program = program.info.name;
            m.in_table_iii = program.info.in_table_iii();
            m.of = program.info.of;
            m.input = input;
            m.skipped = missing.what();
        }
        if (!request.json) {
            shown.clear();
            print_now(table_row(m));
        }
        all.push_back(std::move(m));
    };

    if (!request.json) {
        print_now(table_head(settings));
    }
    std::optional<apps::system> shown_last;
    for (const apps::program& program : apps::programs()) {
        if (!request.json && shown_last != program.info.of) {
            shown.clear();
            print_now(table_group(program.info.of));
        }
        shown_last = program.info.of;
        add(program, {});
        for (const std::string_view input : program.info.real_inputs) {
            add(program, std::string(input));
        }
    }
    shown.clear();
    print_now(request.json ? as_json(all, settings) : table_foot(all));
    return status_of(all);
}

} // namespace

skerry::options runtime_flags::over(skerry::options environment) const {
    environment.workers = workers.value_or(environment.workers);
    environment.pin = pin.value_or(environment.pin);
    environment.guard_accesses = guard_accesses.value_or(environment.guard_accesses);
    environment.stack_size = stack_size.value_or(environment.stack_size);
    environment.max_slots = max_slots.value_or(environment.max_slots);
    environment.blocking_threads = blocking_threads.value_or(environment.blocking_threads);
    environment.steal = steal.value_or(environment.steal);
    environment.mpi = mpi.value_or(environment.mpi);
    environment.watchdog_seconds = watchdog_seconds.value_or(environment.watchdog_seconds);
    environment.trace = trace.value_or(environment.trace);
    environment.trace_memory = trace_memory.value_or(environment.trace_memory);
    environment.devices = devices.value_or(environment.devices);
    environment.device_memory = device_memory.value_or(environment.device_memory);
    environment.task_manager = task_manager.value_or(environment.task_manager);
    return environment;
}

exit_code run(const run_request& given) {
    run_request request = given;
    request.options.workers = request.runtime.workers.value_or(0);
    request.options.devices = request.runtime.devices.value_or("");
    const bool all = request.program == "all";
    if (request.program == "systems") {
        refuse_options_of_one(request);
        if (!request.on.empty() || request.copies != 0 || request.runtime.trace) {
            throw apps::usage_error("--on, --copies and --trace do not go with 'systems'");
        }
        return run_systems(request);
    }
    if (!request.on.empty()) {
        if (all) {
            throw apps::usage_error("--on goes with one program, not with 'all'");
        }
        if (request.copies != 0) {
            throw apps::usage_error("--copies does not go with --on");
        }
        refuse_senseless_options(wanted(request.program).info, request);
        return run_on(request, request.repeat.value_or(repeat_one));
    }
    if (!all) {
        wanted(request.program);
    }
    skerry::runtime workers(request.runtime.over(skerry::options::from_environment()));
    workers.run([] {}); // of several processes all but the first stay here, and print nothing
    const run_settings settings{.size = std::string(apps::name_of(request.options.size)),
                                .seed = request.options.seed,
                                .workers = workers.workers(),
                                .repeat = request.repeat.value_or(all ? repeat_all : repeat_one)};
    return all ? run_all(request, settings, workers) : run_one(request, settings, workers);
}

} // namespace cli
