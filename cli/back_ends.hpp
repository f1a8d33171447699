// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "row.hpp"

#include <string>
#include <vector>

namespace cli {

/// The table: a line per back end, then whether all agree.
std::string table_of(const std::vector<back_end_row>& rows);
/// Whether every check passed and every digest is the same.
bool all_agree(const std::vector<back_end_row>& rows);

/// Runs the program once untimed and `repeat` times on this process: its elision, or its tasks.
back_end_row run_here(const run_request& request, bool serial, unsigned repeat);

/// `skerry run PROGRAM --on LIST`. Errors: apps::usage_error names a back end that there is not.
exit_code run_on(const run_request& request, unsigned repeat);

} // namespace cli
