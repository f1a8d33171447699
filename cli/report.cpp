// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cli {

namespace {

using json = nlohmann::ordered_json;

std::string workers_text(unsigned workers) { return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"); }

json json_of(const timing& t) { return {{"median_s", t.median()}, {"min_s", t.least()}, {"runs_s", t.runs}}; }

json json_of(const skerry::statistics& s) {
    return {{"tasks", s.tasks},
            {"steals_asked", s.steals_asked},
            {"steals_granted", s.steals_granted},
            {"steals_refused", s.steals_refused},
            {"steals_asymmetric", s.steals_asymmetric},
            {"sleeps", s.sleeps},
            {"wakes", s.wakes},
            {"overlaps", s.overlaps},
            {"deque_high_water", s.deque_high_water},
            {"slots_high_water", s.slots_high_water},
            {"threads_high_water", s.threads_high_water}};
}

json json_of(const measurement& m) {
    json row{
        {"program", m.program}, {"in_table_iii", m.in_table_iii}, {"system", apps::name_of(m.of)}, {"input", m.input}};
    if (m.skipped) {
        row["skipped"] = *m.skipped;
        return row;
    }
    row["problem"] = m.problem;
    row["serial"] = json_of(m.serial);
    row["skerry"] = json_of(m.parallel);
    if (!m.copies.runs.empty()) {
        row["copies"] = json_of(m.copies);
    }
    row["speed_up"] = m.speed_up();
    row["statistics"] = json_of(m.done);
    row["check"] = {{"ok", m.check.ok}, {"text", m.check.text}};
    row["output"] = m.output;
    return row;
}

} // namespace

std::string detailed(const measurement& m, const run_settings& settings) {
    const auto times = [](const timing& t) {
        return fmt::format("{:.6f} s  (least {:.6f} of {})", t.median(), t.least(), t.runs.size());
    };
    std::string text = fmt::format("{}: {}\n", m.program, m.problem);
    text += fmt::format("  serial    {}\n", times(m.serial));
    text += fmt::format("  skerry    {}, {}\n", times(m.parallel), workers_text(settings.workers));
    if (!m.copies.runs.empty()) {
        text += fmt::format("  copies    {}, until the last has ended\n", times(m.copies));
    }
    text += fmt::format("  speed-up  {:.2f}\n", m.speed_up());
    text += fmt::format("  steals    {} granted, {} of them by force; {} refused; {} sleeps\n", m.done.steals_granted,
                        m.done.steals_asymmetric, m.done.steals_refused, m.done.sleeps);
    text += fmt::format("  check     {}: {}\n", m.check.ok ? "ok" : "FAILED", m.check.text);
    if (!m.output.empty()) {
        text += fmt::format("{}\n", m.output);
    }
    return text;
}

std::string table_head(const run_settings& settings) {
    return fmt::format("Size {}, seed {}, {}; medians of {} runs, serial elision and Skerry by turns.\n"
                       "{:<12} {:<56} {:>10} {:>10} {:>9}  {}\n",
                       settings.size, settings.seed, workers_text(settings.workers), settings.repeat, "program",
                       "input", "serial s", "Skerry s", "speed-up", "check");
}

std::string table_group(apps::system s) { return fmt::format("{}:\n", apps::name_of(s)); }

std::string table_row(const measurement& m) {
    if (m.skipped) {
        return fmt::format("{:<12} {:<56} skipped: {}\n", m.program, m.input, *m.skipped);
    }
    return fmt::format("{:<12} {:<56} {:>10.6f} {:>10.6f} {:>9.2f}  {}\n", m.program, m.problem, m.serial.median(),
                       m.parallel.median(), m.speed_up(), m.check.ok ? "ok" : "FAILED: " + m.check.text);
}

std::string table_foot(std::span<const measurement> all) {
    double log_sum = 0;
    std::size_t averaged = 0;
    std::size_t measured = 0;
    std::size_t failed = 0;
    for (const measurement& m : all) {
        if (!m.skipped) {
            ++measured;
            failed += m.check.ok ? 0U : 1U;
            if (m.in_table_iii) {
                ++averaged;
                log_sum += std::log(m.speed_up());
            }
        }
    }
    if (measured == 0) {
        return "nothing was measured\n";
    }
    const auto verdict = failed == 0 ? fmt::format("all {} checks passed", measured)
                                     : fmt::format("{} of {} checks FAILED", failed, measured);
    const auto mean =
        averaged == 0 ? std::string() : fmt::format("{:.2f}", std::exp(log_sum / static_cast<double>(averaged)));
    return fmt::format("{:<12} {:<56} {:>10} {:>10} {:>9}  {}\n", "geomean", "of Table III's programs", "", "", mean,
                       verdict);
}

std::string as_json(std::span<const measurement> all, const run_settings& settings) {
    json rows = json::array();
    for (const measurement& m : all) {
        rows.push_back(json_of(m));
    }
    const json document{{"size", settings.size},
                        {"seed", settings.seed},
                        {"workers", settings.workers},
                        {"repeat", settings.repeat},
                        {"rows", std::move(rows)}};
    return document.dump(2) + "\n";
}

} // namespace cli
