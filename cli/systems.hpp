// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include "row.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// A system of Skerry, and the program that shows it.
struct system_case {
    std::string_view name;
    std::string_view program;
    std::vector<std::string> on; ///< the serial elision first
    std::vector<std::string> flags;
    /// What shows that the last of these rows used the system; empty: nothing does.
    std::string (*shown)(const back_end_row& last);
};

struct system_result {
    std::string name;
    std::string command;   ///< does the same by hand
    std::string missing{}; ///< why it was not run; empty: it was
    std::string wrong{};   ///< what failed; empty: nothing
    std::string shown{};   ///< what shows that the system was used
    std::vector<back_end_row> rows{};

    bool failed() const noexcept { return missing.empty() && !wrong.empty(); }
};

const std::vector<system_case>& all_systems();

/// Runs it, again if nothing shows that the system was used: other work may keep a side from the processors.
system_result result_of(const system_case& what, const run_request& request, unsigned repeat);

/// A row of the table, of two lines.
std::string row_of(const system_result& r);

/// `skerry run systems`.
exit_code run_systems(const run_request& request);

} // namespace cli
