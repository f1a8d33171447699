// SPDX-License-Identifier: Apache-2.0
#pragma once

// Table III of "Efficiently Supporting Dynamic Task Parallelism on Heterogeneous Cache-Coherent Systems", as far as
// this project's machines go: which runs fill it, what the paper has, and how the two look beside each other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli::table3 {

/// One machine and variant: a column, but for the serial elision, to which MESI's is the ratio.
struct configuration {
    std::string_view name;    ///< as the table and the runs call it
    std::string_view machine; ///< of machines/
    bool serial = false;
};

inline constexpr std::size_t serial = 0; ///< indices of configurations()
inline constexpr std::size_t mesi = 1;
std::span<const configuration> configurations();

/// What the paper has of a program; its machine has four big cores in the place of four tiny ones.
struct paper_figures {
    std::string_view program;
    unsigned instructions;         ///< DInst, millions
    std::array<double, 7> ratio{}; ///< by configuration: MESI's over a serial in-order core, others' over MESI; 0: none
};
std::span<const paper_figures> paper();
const paper_figures& paper_geomean();

/// What came of one run.
struct result {
    std::string problem;
    std::uint64_t seed = 0;
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t stale_reads = 0;
    std::vector<std::string> stale_sites;
    std::uint64_t foreign_pages = 0;
    bool ok = false;
    std::string verdict;
};

/// The runs of one program, by configuration, one for each seed; empty: it failed.
struct row {
    std::string program;
    std::string paper_input;
    std::size_t granularity = 0; ///< the paper's
    std::string_view pattern;
    std::array<std::vector<result>, 7> runs;

    bool complete() const;
    /// The median of the seeds'; of an even number the mean of the two middle ones. Precondition: complete.
    std::uint64_t cycles(std::size_t configuration) const;
    double ratio(std::size_t configuration) const; ///< as paper_figures::ratio, of ours
    double spread() const; ///< greatest less least over the median, the largest of all configurations
    bool right() const;    ///< every check passed, and no read was stale
};

std::string text_of(std::span<const row> rows, unsigned seeds);
std::string csv_of(std::span<const row> rows);

} // namespace cli::table3
