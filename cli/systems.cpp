// SPDX-License-Identifier: Apache-2.0
#include "systems.hpp"

#include "back_ends.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace cli {

namespace {

constexpr unsigned most_tries = 5;

std::uint64_t tasks_of(const back_end_row& r) {
    std::uint64_t all = 0;
    for (const executor_row& e : r.executors) {
        all += e.tasks;
    }
    return all;
}

std::string text_of_tasks(const back_end_row& r) {
    std::vector<std::string> each;
    each.reserve(r.executors.size());
    for (const executor_row& e : r.executors) {
        each.push_back(fmt::format("{}: {}", e.name, e.tasks));
    }
    return fmt::format("tasks run by {}", fmt::join(each, "; "));
}

std::string by_branches(const back_end_row& r) { // a branch that nobody steals is no task
    return tasks_of(r) != 0 ? text_of_tasks(r) : "no branch was stolen";
}

std::string by_tasks(const back_end_row& r) { return tasks_of(r) != 0 ? text_of_tasks(r) : std::string(); }

// Those of the first process are called by their workers, those of another one by the process.
std::string by_processes(const back_end_row& r) {
    const auto others = std::ranges::count_if(
        r.executors, [](const executor_row& e) { return e.tasks != 0 && !e.name.starts_with("process 0"); });
    return others != 0 && static_cast<std::size_t>(others) != r.executors.size() ? text_of_tasks(r) : std::string();
}

std::string by_events(const back_end_row& r) { return r.verdict; }

std::string by_sides(const back_end_row& r) {
    std::vector<std::string> each;
    each.reserve(r.sides.size());
    for (const side_row& s : r.sides) {
        if (s.iterations == 0) {
            return {};
        }
        each.push_back(fmt::format("{}: {}", s.name, s.iterations));
    }
    return each.size() < 2
               ? std::string()
               : fmt::format("iterations on {}{}", fmt::join(each, "; "), r.note.empty() ? "" : "; " + r.note);
}

std::string by_manager(const back_end_row& r) {
    return r.managed_tasks != 0
               ? fmt::format("tasks ordered by the manager: {}, by software: {}", r.managed_tasks, r.unmanaged_tasks)
               : std::string();
}

std::string by_cycles(const back_end_row& r) {
    const auto busy = std::ranges::count_if(r.executors, [](const executor_row& e) { return e.tasks != 0; });
    return r.cycles != 0 ? fmt::format("{} cycles, simulated; {} cores ran {} tasks", r.cycles, busy, tasks_of(r))
                         : std::string();
}

void add_flags(runtime_flags& to, const std::vector<std::string>& flags) {
    for (std::size_t i = 0; i + 1 < flags.size(); i += 2) {
        if (flags[i] == "--devices") {
            to.devices = flags[i + 1];
        } else {
            to.task_manager = skerry::task_manager_kind::nexus_model;
        }
    }
}

std::string command_of(const system_case& what, const run_request& request) {
    return fmt::format("skerry run {} --size {} --on {}{}{}", what.program, apps::name_of(request.options.size),
                       fmt::join(what.on, ","), what.flags.empty() ? "" : " ", fmt::join(what.flags, " "));
}

nlohmann::ordered_json json_of(const system_result& r) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const back_end_row& row : r.rows) {
        rows.push_back(json_of(row));
    }
    return {{"system", r.name}, {"command", r.command}, {"missing", r.missing},
            {"wrong", r.wrong}, {"shown", r.shown},     {"rows", std::move(rows)}};
}

} // namespace

const std::vector<system_case>& all_systems() {
    static const std::vector<system_case> all{
        {"fork and join", "cilk5-cs", {"serial", "threads"}, {}, by_branches},
        {"dataflow", "sparselu", {"serial", "threads"}, {}, by_tasks},
        {"dataflow", "jacobi", {"serial", "threads"}, {}, by_tasks},
        {"processes", "digits", {"serial", "processes:2"}, {}, by_processes},
        {"ranks", "digits", {"serial", "mpi:2"}, {}, by_processes},
        {"events", "packets", {"serial", "threads"}, {}, by_events},
        {"kernels", "array-add", {"serial", "threads", "hybrid"}, {"--devices", "all"}, by_sides},
        {"task manager", "digits", {"serial", "threads"}, {"--task-manager", "nexus-model"}, by_manager},
        {"manycore", "cilk5-nq", {"serial", "sim:tiny-64/hcc-gwb"}, {}, by_cycles},
        {"several in one", "motion", {"serial", "threads"}, {}, by_events},
    };
    return all;
}

system_result result_of(const system_case& what, const run_request& request, unsigned repeat) {
    run_request own = request;
    own.program = what.program;
    own.on = what.on;
    add_flags(own.runtime, what.flags);
    system_result result{.name = std::string(what.name), .command = command_of(what, request)};
    try {
        for (unsigned tries = 0; tries < most_tries && result.shown.empty() && result.wrong.empty(); ++tries) {
            result.rows = rows_on(own, repeat);
            for (const back_end_row& r : result.rows) {
                if (!r.ok) {
                    result.wrong = fmt::format("{}: {}", r.back_end, r.verdict);
                }
            }
            if (result.wrong.empty() && !all_agree(result.rows)) {
                result.wrong = "the results differ";
            }
            result.shown = what.shown(result.rows.back());
        }
        if (result.wrong.empty() && result.shown.empty()) {
            result.wrong = "the result is right, but nothing shows that the system was used";
        }
    } catch (const not_here& missing) {
        result.missing = missing.what();
    } catch (const apps::input_missing& missing) {
        result.missing = missing.what();
    } catch (const already_said& elsewhere) {
        // What the simulator has no machine or program for, it refuses as a command line.
        (elsewhere.code == exit_usage ? result.missing : result.wrong) = "what it lacks is said above";
    } catch (const std::exception& e) {
        result.wrong = e.what();
    }
    return result;
}

std::string row_of(const system_result& r) {
    const std::string first = !r.missing.empty() ? "not run: " + r.missing
                              : r.failed()       ? "FAILED: " + r.wrong
                                           : fmt::format("ok, {:016x}; {}", r.rows.back().digest.value_or(0), r.shown);
    return fmt::format("{:<15} {}\n{:<15} {}\n", r.name, first, "", r.command);
}

exit_code run_systems(const run_request& request) {
    const unsigned repeat = request.repeat.value_or(1);
    if (!request.json) {
        fmt::print(
            "{:<15} result, the same in all of the command's back ends, and what shows that the system was used\n",
            "system");
    }
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::size_t failed = 0;
    std::size_t ran = 0;
    for (const system_case& what : all_systems()) {
        const system_result result = result_of(what, request, repeat);
        failed += result.failed() ? 1U : 0U;
        ran += result.missing.empty() ? 1U : 0U;
        if (request.json) {
            all.push_back(json_of(result));
        } else {
            fmt::print("{}", row_of(result));
            std::fflush(stdout);
        }
    }
    if (request.json) {
        fmt::print("{}\n", nlohmann::ordered_json{{"systems", all}, {"failed", failed}}.dump(2));
    } else {
        fmt::print("{} of {} rows ran; {}\n", ran, all_systems().size(),
                   failed == 0 ? "each result is that of the serial elision" : fmt::format("{} FAILED", failed));
    }
    std::fflush(stdout);
    return failed == 0 ? exit_ok : exit_check_failed;
}

} // namespace cli
