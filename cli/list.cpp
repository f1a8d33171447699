// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

exit_code list(const list_request& request) {
    if (request.json) {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const apps::program& p : apps::programs()) {
            nlohmann::ordered_json row{{"program", p.info.name},
                                       {"summary", p.info.summary},
                                       {"example", p.info.example},
                                       {"takes_input", p.info.takes_input},
                                       {"has_kernels", p.info.has_kernels}};
            if (p.info.in_table_iii()) {
                row["paper"] = {{"input", p.info.paper.input},
                                {"granularity", p.info.paper.granularity},
                                {"pattern", apps::name_of(p.info.paper.pattern)}};
            }
            rows.push_back(std::move(row));
        }
        fmt::print("{}\n", rows.dump(2));
        return exit_ok;
    }
    fmt::print("{:<12} {:<60} {:<11} {:>11}  {}\n", "program", "what it does", "paper input", "granularity",
               "tasks by");
    for (const apps::program& p : apps::programs()) {
        if (p.info.in_table_iii()) {
            fmt::print("{:<12} {:<60} {:<11} {:>11}  {}\n", p.info.name, p.info.summary, p.info.paper.input,
                       p.info.paper.granularity,
                       p.info.paper.pattern == apps::pattern::spawn_sync ? "spawn and sync" : "parallel for");
        }
    }
    const auto others = [](const char* title, bool by_events, bool has_kernels) {
        fmt::print("\n{}:\n", title);
        for (const apps::program& p : apps::programs()) {
            if (!p.info.in_table_iii() && p.info.by_events == by_events && p.info.has_kernels == has_kernels) {
                fmt::print("{:<12} {}\n", p.info.name, p.info.summary);
            }
        }
    };
    others("Tasks that declare what they touch", false, false);
    others("Events", true, false);
    others("Kernels, on workers and devices", false, true);
    fmt::print("\nThe part after the dash is enough: skerry run nq\n");
    return exit_ok;
}

} // namespace cli
