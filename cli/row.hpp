// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace cli {

/// What one of those that run tasks has done: a worker, a simulated core, another process.
struct executor_row {
    std::string name;
    std::uint64_t tasks = 0;
    std::uint64_t stolen = 0; ///< of those, taken from another executor
};

/// What one side of loops over kernels has done: the workers, or a device.
struct side_row {
    std::string name;
    std::uint64_t iterations = 0;
    std::uint64_t bytes_in = 0;  ///< sent to it
    std::uint64_t bytes_out = 0; ///< brought home
};

/// One program on one back end, as `skerry run PROGRAM --on ...` shows it.
struct back_end_row {
    std::string back_end; ///< "serial", "threads", "processes:2", "sim:tiny4-gwb", "hybrid"
    std::string problem;
    double seconds = 0;                  ///< median of the timed runs
    std::uint64_t cycles = 0;            ///< instead, of a simulated machine; 0: none
    std::vector<executor_row> executors; ///< those that ran tasks; empty for serial
    std::vector<side_row> sides{};       ///< of hybrid and device:NAME
    std::uint64_t managed_tasks = 0;     ///< that a task manager has ordered,
    std::uint64_t unmanaged_tasks = 0;   ///< and those beside it; 0, both: there is none
    std::string note{};                  ///< what is not as was asked for; empty: nothing
    unsigned runs = 1;                   ///< that they ran them in, the one that is not timed among them
    bool ok = false;
    std::string verdict;                 ///< what was checked, or what is wrong
    std::string output;                  ///< `instance::print`
    std::optional<std::uint64_t> digest; ///< of the result
};

nlohmann::ordered_json json_of(const back_end_row& row);
/// Throws what nlohmann::json throws if a field is missing.
back_end_row row_of(const nlohmann::ordered_json& json);

/// Writes the row as JSON. Throws std::runtime_error that names the file.
void write_row(const back_end_row& row, const std::string& to);

} // namespace cli
