// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_code.hpp"
#include "program.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/runtime.hpp>

namespace cli {

/// In the enumerators' order, as apps::size_names is.
inline constexpr std::array<std::string_view, 4> steal_names{"automatic", "asymmetric", "locked", "interrupt"};
inline constexpr std::array<std::string_view, 2> device_memory_names{"automatic", "private"};
inline constexpr std::array<std::string_view, 2> task_manager_names{"software", "nexus-model"};

struct list_request {
    bool json = false;
};

struct info_request {
    bool json = false;
};

/// What the command line says about the runtime; it goes before the environment.
struct runtime_flags {
    std::optional<unsigned> workers;
    std::optional<bool> pin;
    std::optional<bool> guard_accesses;
    std::optional<std::size_t> stack_size;
    std::optional<unsigned> max_slots;
    std::optional<unsigned> blocking_threads;
    std::optional<skerry::steal_mode> steal;
    std::optional<std::string> mpi;
    std::optional<double> watchdog_seconds;
    std::optional<std::string> trace;
    std::optional<std::size_t> trace_memory;
    std::optional<std::string> devices;
    std::optional<skerry::device_memory> device_memory;
    std::optional<skerry::task_manager_kind> task_manager;

    skerry::options over(skerry::options environment) const;
};

struct run_request {
    std::string program; ///< a name, or "all"
    apps::options options;
    runtime_flags runtime;
    std::optional<unsigned> repeat;
    unsigned copies = 0; ///< of the serial elision, side by side
    bool json = false;
    std::vector<std::string> on; ///< back ends; empty: both variants here, compared in time
    std::string row_to;          ///< with one back end: a file for its row, instead of standard output
};

struct launch_request {
    unsigned processes = 2;
    std::vector<std::string> command; ///< a program and its arguments
};

struct reproduce_request {
    std::string experiment; ///< hcc-dts
    bool quick = false;
    unsigned seeds = 1;
    unsigned jobs = 0;                 ///< runs at a time
    std::string to;                    ///< a folder
    std::vector<std::string> programs; ///< empty: all thirteen
};

/// Each prints to standard output and reports errors by exceptions, which main turns into a message and a status.
exit_code list(const list_request& request);
exit_code info(const info_request& request);
exit_code run(const run_request& request);
exit_code reproduce(const reproduce_request& request);

/// The result is the processes' own exit status, see skerry::launch_result.
int launch(const launch_request& request);

} // namespace cli
