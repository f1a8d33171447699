// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_code.hpp"
#include "program.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include <skerry/runtime.hpp>

namespace cli {

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
    std::optional<std::size_t> stack_size;
    std::optional<unsigned> max_slots;
    std::optional<unsigned> blocking_threads;
    std::optional<skerry::steal_mode> steal;
    std::optional<double> watchdog_seconds;

    skerry::options over(skerry::options environment) const;
};

struct run_request {
    std::string program; ///< a name, or "all"
    apps::options options;
    runtime_flags runtime;
    std::optional<unsigned> repeat;
    bool json = false;
};

/// Each prints to standard output and reports errors by exceptions, which main turns into a message and a status.
exit_code list(const list_request& request);
exit_code info(const info_request& request);
exit_code run(const run_request& request);

} // namespace cli
