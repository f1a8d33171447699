// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where RapidCheck's programs come from, how long they are tried, and what kinds of program have been seen.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"

namespace random_programs {

// A sequence of choices, shown as the program that it makes.
struct choices {
    std::vector<std::uint8_t> list;
    std::vector<std::uint32_t> without{}; // these statements of it
};

program made_of(const choices& c);

void showValue(const choices& c, std::ostream& out);

// SKERRY_STRESS_SECONDS, which scales the time of every such test.
double stress_seconds();
// SKERRY_STRESS_SEED, else another one each time.
std::uint64_t first_seed();

// A round: the same programs each time for one seed. Empty, or what RapidCheck says of the program that failed, shrunk.
// `property` fails by RC_FAIL.
std::string check_round(std::uint64_t seed, unsigned programs, const std::function<void(const choices&)>& property);

// Of the programs that were run.
struct shares {
    std::size_t programs = 0;
    std::size_t nested = 0;
    std::size_t conflicts = 0;
    std::size_t overlaps = 0;
    std::size_t fails = 0;
    std::size_t regions = 0;
    std::size_t forks = 0;
    std::size_t waits_on = 0;
    std::size_t tasks = 0;

    void add(const traits& t);
    [[nodiscard]] double of(std::size_t n) const {
        return 100.0 * static_cast<double>(n) / static_cast<double>(programs);
    }
    void print() const;
    // Enough programs of each kind to mean something; with a failure of the test if not.
    void expect_enough() const;
};

} // namespace random_programs
