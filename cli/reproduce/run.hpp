// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace cli {

/// The exit status of a run that could not write its row: the next ones could not either.
inline constexpr int exit_not_written = 5;

/// A program of Table III, in both variants.
struct reproduced_program {
    apps::entry (*parallel)();
    apps::entry (*serial)();
};

/// Those that this build has, in the table's order.
std::span<const reproduced_program> reproduced_programs();

/// What runs on the simulated machine, and what came of it. Lives where the host put it.
struct reproduced_run {
    apps::options options;
    std::string program;
    bool serial = false;
    bool interrupts = false; ///< how the parallel variant steals; else locked

    std::string problem;
    bool ok = false;
    std::string verdict;
    std::uint64_t tasks = 0;
    std::uint64_t stolen = 0;
};

/// The body of the simulation; `run` is a reproduced_run. The input is built and the result checked outside of its
/// region of interest.
void run_reproduced(void* run);

} // namespace cli
