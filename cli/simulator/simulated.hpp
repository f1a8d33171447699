// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.hpp"
#include "row.hpp"

#include <string>
#include <vector>

namespace cli {

/// What runs on the simulated machine. Lives where the host put it.
struct simulated_run {
    apps::options options;
    std::string program;
    std::string steal; ///< a steal mode's name
    back_end_row row;  ///< all but the back end's name
};

/// The names of the programs that can be simulated.
std::vector<std::string> simulated_programs();

/// The body of the simulation; `run` is a simulated_run. Errors: as the program's, and std::invalid_argument.
void run_simulated(void* run);

} // namespace cli
