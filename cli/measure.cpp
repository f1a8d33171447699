// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include "support/side_by_side.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

namespace cli {

namespace {

template <class F>
double seconds(F&& f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What was counted between two readings.
skerry::statistics difference(const skerry::statistics& from, skerry::statistics to) {
    to.tasks -= from.tasks;
    to.steals_asked -= from.steals_asked;
    to.steals_granted -= from.steals_granted;
    to.steals_refused -= from.steals_refused;
    to.steals_asymmetric -= from.steals_asymmetric;
    to.sleeps -= from.sleeps;
    to.wakes -= from.wakes;
    to.overlaps -= from.overlaps;
    return to;
}

// A copy prepares its problem in its first round: what cannot be prepared fails before that, in this process.
apps::side_by_side::work copy_of(const apps::program& program, const apps::options& options) {
    std::shared_ptr<apps::instance> serial;
    return [&program, options, serial](const apps::side_by_side::meeting& meet) mutable {
        if (!serial) {
            serial = program.serial(options);
        }
        serial->reset();
        meet();
        return std::vector{seconds([&] { serial->run(); })};
    };
}

} // namespace

apps::verdict judge(const apps::instance& serial, const apps::instance& parallel) {
    if (apps::verdict v = serial.check(); !v.ok) {
        return {false, "serial elision: " + v.text};
    }
    apps::verdict v = parallel.check();
    if (!v.ok || !parallel.digest()) {
        return v;
    }
    if (serial.digest() != parallel.digest()) {
        return {false, "each variant passes its check, but their results differ"};
    }
    return {true, v.text + "; both variants agree"};
}

double timing::median() const {
    std::vector<double> sorted = runs;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double timing::least() const { return *std::min_element(runs.begin(), runs.end()); }

exit_code status_of(std::span<const measurement> all) {
    const bool passed =
        std::all_of(all.begin(), all.end(), [](const measurement& m) { return m.skipped || m.check.ok; });
    return passed ? exit_ok : exit_check_failed;
}

measurement measure(const apps::program& program, const apps::options& options, unsigned repeat, unsigned copies,
                    skerry::runtime& workers, progress& shown) {
    measurement result;
    result.program = program.info.name;
    result.in_table_iii = program.info.in_table_iii();
    result.of = program.info.of;
    result.input = options.input.empty() ? "generated" : options.input;

    shown.stage(fmt::format("{}: preparing", program.info.name));
    std::optional<apps::side_by_side> beside; // first: what is written after a fork is copied page by page
    if (copies != 0) {
        beside.emplace(copies, [&] { return copy_of(program, options); });
    }
    std::unique_ptr<apps::instance> serial;
    std::unique_ptr<apps::instance> parallel;
    workers.run([&] {
        serial = program.serial(options);
        parallel = program.parallel(options);
    });
    result.problem = parallel->problem();

    // The first round, number 0, is not timed: it touches the memory and starts the workers.
    skerry::statistics before;
    for (unsigned round = 0; round <= repeat; ++round) {
        shown.stage(round == 0 ? fmt::format("{}: warming up", program.info.name)
                               : fmt::format("{}: run {} of {}", program.info.name, round, repeat));
        serial->reset();
        const double serial_time = seconds([&] { serial->run(); });
        parallel->reset();
        const double parallel_time = seconds([&] { workers.run([&] { parallel->run(); }); });
        const double copies_time = beside ? beside->slowest() : 0;
        if (round == 0) {
            before = workers.stats();
        } else {
            result.serial.runs.push_back(serial_time);
            result.parallel.runs.push_back(parallel_time);
            if (beside) {
                result.copies.runs.push_back(copies_time);
            }
        }
    }

    result.done = difference(before, workers.stats());

    shown.stage(fmt::format("{}: checking", program.info.name));
    result.check = judge(*serial, *parallel);
    result.output = parallel->print();
    return result;
}

} // namespace cli
