// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exit_code.hpp"
#include "program.hpp"
#include "progress.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skerry/runtime.hpp>

namespace cli {

/// Seconds of each timed run. At least one.
struct timing {
    std::vector<double> runs;

    double median() const;
    double least() const;
};

/// One program on one input.
struct measurement {
    std::string_view program;
    bool in_table_iii = true; ///< and so part of the geometric mean
    apps::system of = apps::system::fork_join;
    std::string input; ///< `options::input`, or "generated"
    std::string problem;
    timing serial;
    timing parallel;
    timing copies;           ///< of the serial elision, side by side: until the last has ended; empty: none were wanted
    skerry::statistics done; ///< by the workers in all timed runs together; high-water marks since they started
    apps::verdict check;
    std::string output;                 ///< `instance::print`
    std::optional<std::string> skipped; ///< why nothing was measured; the fields above except the first four are empty

    double speed_up() const { return serial.median() / parallel.median(); }
};

/// exit_ok or exit_check_failed. What was skipped has not failed.
exit_code status_of(std::span<const measurement> all);

/// Both variants' checks, and that their results agree where every correct run has the same one.
apps::verdict judge(const apps::instance& serial, const apps::instance& parallel);

/// Runs both variants `repeat` times by turns, after one untimed round each, and checks the last results and that the
/// variants agree. The parallel variant runs in `workers`. Unless `copies` is 0, so many processes run the elision at
/// the same time, as a third by turns.
measurement measure(const apps::program& program, const apps::options& options, unsigned repeat, unsigned copies,
                    skerry::runtime& workers, progress& shown);

} // namespace cli
