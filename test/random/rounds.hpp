// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random programs on a back end that has processes of its own: a round of programs is one of its runs. What a program
// does to such a process (crash, hang, leave a lock taken) concerns neither the next round nor the search for a smaller
// program that fails.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../unit/base/child.hpp"
#include "choices.hpp"
#include "program.hpp"

namespace random_programs {

// --- in the process that runs them ----------------------------------------------------------------------------------

// Tasks that ran, and those of them that ran on another executor than the one that began the program.
struct spread {
    std::uint64_t tasks = 0;
    std::uint64_t elsewhere = 0;
};

// How lines of run_programs() begin: one before each program, with its number, and one when all have ended.
inline constexpr std::string_view begins = "program ";
inline constexpr std::string_view ends = "tasks ";

// Runs them by their numbers, which gives what was wrong or nothing, until one fails. The result is an exit code; what
// the caller of the round needs to know goes to stdout. One that does not end in so many seconds ends the process.
int run_programs(std::span<const program> programs, unsigned patience_seconds,
                 const std::function<std::string(std::uint32_t)>& run, const std::function<spread()>& counts);

// --- in the test ----------------------------------------------------------------------------------------------------

struct back_end {
    // Has a process call run_programs() for these. `variant`: rounds take turns at so many forms of the back end.
    std::function<skerry_test::child_result(unsigned variant, std::span<const choices>)> run;
    unsigned variants;
    double seconds;             // for SKERRY_STRESS_SECONDS = 1
    std::size_t fewest;         // programs, for the shares to mean something
    unsigned percent_elsewhere; // of the tasks, or the test shows nothing
};

inline constexpr unsigned usual_patience_seconds = 60; // the machine may be loaded

// Each is defined once for each back end, of which a program has one.
back_end this_back_end(unsigned patience_seconds);
// In a process that the back end has launched: does what it is for. The result is its exit code.
std::optional<int> run_launched(int argc, char** argv);

// The programs of a round.
std::vector<choices> round_of(std::uint64_t seed);
// What a process said that ended badly, without what it said of the programs before; empty if it did not.
std::string failure(const skerry_test::child_result& r);

struct round_result {
    std::vector<choices> list;
    unsigned variant;
    skerry_test::child_result process;
    std::string wrong; // empty: nothing

    // How many of the programs were begun, of which the last one failed.
    [[nodiscard]] std::size_t begun() const;
};
round_result run_round(const back_end& on, std::uint64_t seed);
// Of a round that failed: what was wrong, and the program that failed, as it was and, if asked for, shrunk.
std::string report(const back_end& on, std::uint64_t seed, const round_result& r, bool shrinks);

// One test: rounds until the time is over. A failure is shrunk and shown.
void expect_programs_equal_their_elision(const back_end& on);

} // namespace random_programs
