// SPDX-License-Identifier: Apache-2.0

// skerry reproduce hcc-dts: the runs that fill Table III, and the table.

#include "commands.hpp"

#include "reproduce/runs.hpp"
#include "reproduce/table3.hpp"
#include "simulator/machine_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace cli {

namespace {

using clock = std::chrono::steady_clock;

std::vector<const apps::program*> wanted_programs(const reproduce_request& request) {
    std::vector<const apps::program*> all;
    for (const apps::program& p : apps::programs()) {
        const bool named = request.programs.empty() || std::ranges::count(request.programs, p.info.name) != 0;
        if (p.info.in_table_iii() && named) {
            all.push_back(&p);
        }
    }
    for (const std::string& name : request.programs) {
        if (std::ranges::none_of(all, [&](const apps::program* p) { return p->info.name == name; })) {
            throw apps::usage_error(
                fmt::format("reproduce: Table III has no program '{}'; 'skerry list' names its thirteen", name));
        }
    }
    return all;
}

// What a row says; nothing if it is another's, or lacks something.
std::optional<table3::result> result_of(const nlohmann::ordered_json& json, const apps::program& p,
                                        const table3::configuration& c, unsigned seed) {
    try {
        if (json.at("program") != p.info.name || json.at("machine") != c.machine || json.at("seed") != seed ||
            json.at("variant") != (c.serial ? "serial" : "parallel")) {
            return std::nullopt;
        }
        return table3::result{.problem = json.at("problem"),
                              .seed = seed,
                              .cycles = json.at("cycles"),
                              .instructions = json.at("instructions"),
                              .stale_reads = json.at("stale_reads"),
                              .stale_sites = json.at("stale_sites"),
                              .foreign_pages = json.at("foreign_pages"),
                              .ok = json.at("check").at("ok"),
                              .verdict = json.at("check").at("text")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

wanted_row wanted(const apps::program& p, const table3::configuration& c, unsigned seed) {
    wanted_row row{
        fmt::format("{}.{}.{}", p.info.name, c.name, seed),
        {std::string(c.machine), std::string(p.info.name), "--size", "small", "--seed", std::to_string(seed)},
        machine_file(std::string(c.machine)),
        [&p, &c, seed](const nlohmann::ordered_json& json) { return result_of(json, p, c, seed).has_value(); }};
    if (c.serial) {
        row.arguments.emplace_back("--serial");
    }
    return row;
}

std::vector<wanted_row> wanted_rows(const std::vector<const apps::program*>& programs, unsigned seeds) {
    std::vector<wanted_row> rows;
    for (const apps::program* const p : std::views::reverse(programs)) { // the table's last take longest
        for (const table3::configuration& c : table3::configurations()) {
            for (unsigned seed = 0; seed < seeds; ++seed) {
                rows.push_back(wanted(*p, c, seed));
            }
        }
    }
    return rows;
}

table3::row row_of(const kept_rows& kept, const apps::program& p, unsigned seeds) {
    table3::row row{.program = std::string(p.info.name),
                    .paper_input = std::string(p.info.paper.input),
                    .granularity = p.info.paper.granularity,
                    .pattern = apps::name_of(p.info.paper.pattern),
                    .runs = {}};
    const auto configurations = table3::configurations();
    for (std::size_t c = 0; c < configurations.size(); ++c) {
        for (unsigned seed = 0; seed < seeds; ++seed) {
            std::optional<table3::result> result =
                result_of(kept.read(wanted(p, configurations[c], seed)), p, configurations[c], seed);
            if (!result) {
                row.runs[c].clear();
                break;
            }
            row.runs[c].push_back(std::move(*result));
        }
    }
    return row;
}

} // namespace

exit_code reproduce(const reproduce_request& request) {
    if (request.experiment != "hcc-dts") {
        throw apps::usage_error(
            fmt::format("reproduce: there is no experiment '{}'; there is hcc-dts", request.experiment));
    }
    if (!request.quick) {
        throw apps::usage_error("reproduce: hcc-dts exists only as --quick so far: small inputs, on tiny cores alone");
    }
    const std::vector<const apps::program*> programs = wanted_programs(request);
    kept_rows kept(request.to, std::filesystem::read_symlink("/proc/self/exe").parent_path() / "skerry-reproduce");
    const std::vector<wanted_row> rows = wanted_rows(programs, request.seeds);
    const clock::time_point begin = clock::now();
    kept.make(rows, request.jobs, [&](const wanted_row& row, std::size_t done, std::size_t to_do, double seconds) {
        const double spent = std::chrono::duration<double>(clock::now() - begin).count();
        fmt::print(stderr, "{:>3} of {}: {} in {:.1f} s; about {:.0f} s left\n", done, to_do, row.name, seconds,
                   spent / static_cast<double>(done) * static_cast<double>(to_do - done));
    });

    std::vector<table3::row> table;
    table.reserve(programs.size());
    for (const apps::program* const p : programs) {
        table.push_back(row_of(kept, *p, request.seeds));
    }
    const std::string text = table3::text_of(table, request.seeds);
    fmt::print("{}", text);
    std::fflush(stdout); // whatever becomes of the files
    const std::string_view name = programs.size() == table3::paper().size() ? "table3" : "table3-part";
    kept.write(fmt::format("{}.txt", name), text);
    kept.write(fmt::format("{}.csv", name), table3::csv_of(table));
    if (!std::ranges::all_of(table, &table3::row::complete)) {
        return exit_failure;
    }
    return std::ranges::all_of(table, &table3::row::right) ? exit_ok : exit_check_failed;
}

} // namespace cli
