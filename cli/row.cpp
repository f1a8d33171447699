// SPDX-License-Identifier: Apache-2.0
#include "row.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

nlohmann::ordered_json json_of(const back_end_row& row) {
    nlohmann::ordered_json executors = nlohmann::ordered_json::array();
    for (const executor_row& e : row.executors) {
        executors.push_back({{"name", e.name}, {"tasks", e.tasks}, {"stolen", e.stolen}});
    }
    nlohmann::ordered_json sides = nlohmann::ordered_json::array();
    for (const side_row& s : row.sides) {
        sides.push_back(
            {{"name", s.name}, {"iterations", s.iterations}, {"bytes_in", s.bytes_in}, {"bytes_out", s.bytes_out}});
    }
    nlohmann::ordered_json json{{"back_end", row.back_end},
                                {"problem", row.problem},
                                {"seconds", row.seconds},
                                {"cycles", row.cycles},
                                {"executors", executors},
                                {"sides", sides},
                                {"managed_tasks", row.managed_tasks},
                                {"unmanaged_tasks", row.unmanaged_tasks},
                                {"note", row.note},
                                {"runs", row.runs},
                                {"check", {{"ok", row.ok}, {"text", row.verdict}}},
                                {"output", row.output}};
    json["digest"] = row.digest ? nlohmann::ordered_json(fmt::format("{:016x}", *row.digest)) : nullptr;
    return json;
}

back_end_row row_of(const nlohmann::ordered_json& json) {
    back_end_row row{.back_end = json.at("back_end"),
                     .problem = json.at("problem"),
                     .seconds = json.at("seconds"),
                     .cycles = json.at("cycles"),
                     .executors = {},
                     .sides = {},
                     .managed_tasks = json.at("managed_tasks"),
                     .unmanaged_tasks = json.at("unmanaged_tasks"),
                     .note = json.at("note"),
                     .runs = json.at("runs"),
                     .ok = json.at("check").at("ok"),
                     .verdict = json.at("check").at("text"),
                     .output = json.at("output"),
                     .digest = {}};
    for (const auto& e : json.at("executors")) {
        row.executors.push_back({e.at("name"), e.at("tasks"), e.at("stolen")});
    }
    for (const auto& s : json.at("sides")) {
        row.sides.push_back({s.at("name"), s.at("iterations"), s.at("bytes_in"), s.at("bytes_out")});
    }
    if (!json.at("digest").is_null()) {
        row.digest = std::stoull(json.at("digest").get<std::string>(), nullptr, 16);
    }
    return row;
}

void write_row(const back_end_row& row, const std::string& to) {
    std::ofstream out(to);
    out << json_of(row).dump() << std::flush;
    if (!out) {
        throw std::runtime_error(fmt::format("cannot write {}", to));
    }
}

} // namespace cli
