// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "row.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// The table: a line per back end, then whether all agree.
std::string table_of(const std::vector<back_end_row>& rows);
/// Whether every check passed and every digest is the same.
bool all_agree(const std::vector<back_end_row>& rows);

/// Runs the program once untimed and `repeat` times on this process: its elision, or its tasks.
back_end_row run_here(const run_request& request, bool serial, unsigned repeat);

/// A back end that nothing is wrong with but that it is not installed; the text says what to install.
class not_here : public apps::usage_error {
  public:
    using apps::usage_error::usage_error;
};

/// A row for each back end of the request. Errors: not_here, and those of run_on.
std::vector<back_end_row> rows_on(const run_request& request, unsigned repeat);

/// The package that would bring a kind of devices of which there is none; empty: it is there, or comes in no package.
std::string package_for(const skerry::device_statistics& d);

/// What starts ranks of an MPI, for `skerry info`.
struct mpi_launcher_found {
    std::string program;  ///< empty: there is none in PATH
    std::string package;  ///< Debian's
    std::string compiles; ///< the one with which a build makes the shared object
};
mpi_launcher_found launcher_of(std::string_view mpi);

/// Where `skerry-sim` is to be; whether it is there is for the caller to see.
std::filesystem::path simulator_path();

/// `skerry run PROGRAM --on LIST`. Errors: apps::usage_error names a back end that there is not.
exit_code run_on(const run_request& request, unsigned repeat);

} // namespace cli
