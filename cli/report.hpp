// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <span>
#include <string>

namespace cli {

/// What was asked for, once for all rows.
struct run_settings {
    std::string size;
    std::uint64_t seed;
    unsigned workers;
    unsigned repeat;
};

/// One program for a person.
std::string detailed(const measurement& m, const run_settings& settings);

/// The table of `skerry run all`: first line, one line per measurement, last lines.
std::string table_head(const run_settings& settings);
std::string table_group(apps::system s); ///< in front of the rows of its programs
std::string table_row(const measurement& m);
std::string table_foot(std::span<const measurement> all);

/// All of it for a program; README.md describes the fields.
std::string as_json(std::span<const measurement> all, const run_settings& settings);

} // namespace cli
