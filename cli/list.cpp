// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <array>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

namespace {

struct group {
    apps::system of;
    const char* title;
};
constexpr std::array groups{group{apps::system::fork_join, "Fork and join"},
                            group{apps::system::dataflow, "Dataflow: tasks that declare what they touch"},
                            group{apps::system::events, "Events"},
                            group{apps::system::kernels, "Kernels, on workers and devices"},
                            group{apps::system::several, "Several systems in one program"}};

} // namespace

exit_code list(const list_request& request) {
    if (request.json) {
        nlohmann::ordered_json rows = nlohmann::ordered_json::array();
        for (const apps::program& p : apps::programs()) {
            nlohmann::ordered_json row{{"program", p.info.name},
                                       {"system", apps::name_of(p.info.of)},
                                       {"summary", p.info.summary},
                                       {"example", p.info.example},
                                       {"takes_input", p.info.takes_input},
                                       {"has_kernels", p.info.has_kernels()}};
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
    const char* gap = "";
    for (const group& g : groups) {
        fmt::print("{}{}:\n", gap, g.title);
        gap = "\n";
        if (g.of == apps::system::fork_join) {
            fmt::print("{:<12} {:<60} {:<11} {:>11}  {}\n", "program", "what it does", "paper input", "granularity",
                       "tasks by");
        }
        for (const apps::program& p : apps::programs()) {
            if (p.info.of != g.of) {
                continue;
            }
            if (p.info.in_table_iii()) {
                fmt::print("{:<12} {:<60} {:<11} {:>11}  {}\n", p.info.name, p.info.summary, p.info.paper.input,
                           p.info.paper.granularity,
                           p.info.paper.pattern == apps::pattern::spawn_sync ? "spawn and sync" : "parallel for");
            } else {
                fmt::print("{:<12} {}\n", p.info.name, p.info.summary);
            }
        }
    }
    fmt::print(
        "\nThree systems run the programs of others: ranks (--on mpi:2) and the task manager (--task-manager\n"
        "nexus-model) those of dataflow, the manycore (--on sim:MACHINE) some. 'skerry run systems' shows each.\n");
    fmt::print("\nThe part after the dash is enough: skerry run nq\n");
    return exit_ok;
}

} // namespace cli
