// SPDX-License-Identifier: Apache-2.0
#include "flags.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

namespace {

// A flag and its value; a switch has none.
struct flag {
    std::string name;
    std::string value;
};

template <class Number>
void add(std::vector<flag>& to, std::string_view name, const std::optional<Number>& value) {
    if (value) {
        to.push_back({std::string(name), fmt::format("{}", *value)}); // a double as the shortest text that is it again
    }
}

void add_switch(std::vector<flag>& to, std::string_view name, const std::optional<bool>& value) {
    if (value) {
        to.push_back({fmt::format("--{}{}", *value ? "" : "no-", name), {}});
    }
}

// Without those of the trace: what workers do is all the same to it, so every back end writes one.
std::vector<flag> of_the_workers(const runtime_flags& flags) {
    std::vector<flag> given;
    add(given, "--workers", flags.workers);
    add_switch(given, "pin", flags.pin);
    add(given, "--stack-size", flags.stack_size);
    add(given, "--max-slots", flags.max_slots);
    add(given, "--blocking-threads", flags.blocking_threads);
    if (flags.steal) {
        given.push_back({"--steal", std::string(steal_names[static_cast<std::size_t>(*flags.steal)])});
    }
    add_switch(given, "guard-accesses", flags.guard_accesses);
    add(given, "--mpi", flags.mpi);
    add(given, "--watchdog", flags.watchdog_seconds);
    add(given, "--devices", flags.devices);
    if (flags.device_memory) {
        given.push_back(
            {"--device-memory", std::string(device_memory_names[static_cast<std::size_t>(*flags.device_memory)])});
    }
    if (flags.task_manager) {
        given.push_back(
            {"--task-manager", std::string(task_manager_names[static_cast<std::size_t>(*flags.task_manager)])});
    }
    return given;
}

} // namespace

std::vector<std::string> words_of(const runtime_flags& flags) {
    std::vector<flag> given = of_the_workers(flags);
    add(given, "--trace", flags.trace);
    add(given, "--trace-memory", flags.trace_memory);
    std::vector<std::string> words;
    for (flag& f : given) {
        words.push_back(std::move(f.name));
        if (!f.value.empty()) {
            words.push_back(std::move(f.value));
        }
    }
    return words;
}

runtime_flags of_the_trace(const runtime_flags& flags) {
    runtime_flags found;
    found.trace = flags.trace;
    found.trace_memory = flags.trace_memory;
    return found;
}

void trace_cores(const apps::program_info& info, const runtime_flags& flags) {
    if (!info.takes_cores) {
        return;
    }
    if (flags.trace) {
        ::setenv("SKERRY_TRACE", flags.trace->c_str(), 1);
    }
    if (flags.trace_memory) {
        ::setenv("SKERRY_TRACE_MEMORY", std::to_string(*flags.trace_memory).c_str(), 1);
    }
}

void refuse_useless_flags(const run_request& request) {
    for (const flag& f : of_the_workers(request.runtime)) {
        // Of simulated cores the machine's description says how many there are, and each is one worker.
        const bool simulated = f.name == "--steal";
        const auto useless = [&](const std::string& back_end) {
            return back_end == "serial" || (!simulated && back_end.starts_with("sim:"));
        };
        if (std::ranges::all_of(request.on, useless)) {
            throw apps::usage_error(fmt::format("{}: --on {} has no use for it; {}", f.name, fmt::join(request.on, ","),
                                                simulated ? "threads, processes:N, mpi:N and sim:MACHINE have"
                                                          : "threads, processes:N and mpi:N have"));
        }
    }
}

} // namespace cli
