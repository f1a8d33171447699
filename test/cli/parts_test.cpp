// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "measure.hpp"
#include "progress.hpp"
#include "report.hpp"

#include <chrono>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

TEST(progress, writes_nothing_before_its_patience_is_over) {
    std::ostringstream terminal;
    {
        cli::progress shown(terminal, true, 24h);
        shown.stage("working");
        shown.clear();
    }
    EXPECT_EQ(terminal.str(), "");
}

TEST(progress, shows_the_stage_and_takes_it_away) {
    std::ostringstream terminal;
    {
        cli::progress shown(terminal, true, 0s);
        shown.stage("working");
        shown.clear();
        EXPECT_THAT(terminal.str(), HasSubstr("working"));
        EXPECT_THAT(terminal.str(), testing::EndsWith("\033[K"));
        shown.stage("working on");
    }
    EXPECT_THAT(terminal.str(), HasSubstr("working on"));
    EXPECT_THAT(terminal.str(), testing::EndsWith("\033[K"));
}

TEST(progress, is_silent_where_there_is_no_terminal) {
    std::ostringstream terminal;
    {
        cli::progress shown(terminal, false, 0s);
        shown.stage("working");
    }
    EXPECT_EQ(terminal.str(), "");
}

TEST(timing, median_and_least) {
    EXPECT_EQ((cli::timing{{3, 1, 2}}.median()), 2.0);
    EXPECT_EQ((cli::timing{{4, 1, 2, 3}}.median()), 2.5);
    EXPECT_EQ((cli::timing{{5}}.median()), 5.0);
    EXPECT_EQ((cli::timing{{3, 1, 2}}.least()), 1.0);
}

class fake final : public apps::instance {
  public:
    fake(bool ok, std::optional<std::uint64_t> digest) : ok_(ok), digest_(digest) {}
    std::string problem() const override { return "nothing much"; }
    void run() override {}
    apps::verdict check() const override { return {ok_, ok_ ? "fine" : "broken"}; }
    void corrupt() override { ok_ = false; }
    std::optional<std::uint64_t> digest() const override { return digest_; }

  private:
    bool ok_;
    std::optional<std::uint64_t> digest_;
};

TEST(judge, needs_both_checks_and_agreement) {
    EXPECT_TRUE(cli::judge(fake(true, 1), fake(true, 1)).ok);
    EXPECT_THAT(cli::judge(fake(true, 1), fake(true, 1)).text, HasSubstr("both variants agree"));
    EXPECT_TRUE(cli::judge(fake(true, {}), fake(true, {})).ok);
    EXPECT_THAT(cli::judge(fake(true, {}), fake(true, {})).text, Not(HasSubstr("agree")));

    EXPECT_FALSE(cli::judge(fake(false, 1), fake(true, 1)).ok);
    EXPECT_THAT(cli::judge(fake(false, 1), fake(true, 1)).text, HasSubstr("serial elision: broken"));
    EXPECT_FALSE(cli::judge(fake(true, 1), fake(false, 1)).ok);
    EXPECT_FALSE(cli::judge(fake(true, 1), fake(true, 2)).ok);
    EXPECT_THAT(cli::judge(fake(true, 1), fake(true, 2)).text, HasSubstr("results differ"));
}

cli::measurement measured(const char* program, double serial, double parallel, bool ok) {
    cli::measurement m;
    m.program = program;
    m.input = "generated";
    m.problem = "17 things";
    m.serial.runs = {serial};
    m.parallel.runs = {parallel};
    m.check = {ok, ok ? "fine" : "broken"};
    return m;
}

const cli::run_settings settings{.size = "tiny", .seed = 7, .workers = 2, .repeat = 1};

TEST(report, table_names_failures_and_the_mean) {
    const auto good = measured("one", 2.0, 1.0, true);
    const auto bad = measured("two", 8.0, 1.0, false);
    auto absent = measured("three", 1.0, 1.0, true);
    absent.skipped = "not installed";
    EXPECT_THAT(cli::table_row(good), testing::ContainsRegex("one +17 things +2.000000 +1.000000 +2.00  ok\n"));
    EXPECT_THAT(cli::table_row(bad), HasSubstr("FAILED: broken"));
    EXPECT_THAT(cli::table_row(absent), HasSubstr("skipped: not installed"));
    const std::vector rows{good, bad, absent};
    EXPECT_THAT(cli::table_foot(rows), HasSubstr("4.00"));
    EXPECT_THAT(cli::table_foot(rows), HasSubstr("1 of 2 checks FAILED"));
    EXPECT_THAT(cli::table_foot({&good, 1}), HasSubstr("all 1 checks passed"));
    EXPECT_EQ(cli::table_foot({&absent, 1}), "nothing was measured\n");
    auto other = measured("four", 8.0, 1.0, true);
    other.in_table_iii = false;
    EXPECT_THAT(cli::table_foot(std::vector{good, other}), testing::ContainsRegex("2.00  all 2 checks passed"));
    EXPECT_THAT(cli::table_foot({&other, 1}), testing::ContainsRegex("programs +all 1 checks passed"));
}

TEST(status, one_failed_check_fails_the_command) {
    const auto good = measured("one", 2.0, 1.0, true);
    const auto bad = measured("two", 8.0, 1.0, false);
    auto absent = measured("three", 1.0, 1.0, false);
    absent.skipped = "not installed";
    EXPECT_EQ(cli::status_of({&good, 1}), cli::exit_ok);
    EXPECT_EQ(cli::status_of(std::vector{good, absent}), cli::exit_ok);
    EXPECT_EQ(cli::status_of(std::vector{good, bad, absent}), cli::exit_check_failed);
}

TEST(runtime_flags, go_before_the_environment) {
    skerry::options environment;
    environment.workers = 7;
    environment.pin = true;
    const skerry::options untouched = cli::runtime_flags{}.over(environment);
    EXPECT_EQ(untouched.workers, 7U);
    EXPECT_TRUE(untouched.pin);

    cli::runtime_flags flags;
    flags.workers = 3;
    flags.pin = false;
    flags.stack_size = 1U << 20U;
    flags.max_slots = 99;
    flags.blocking_threads = 5;
    flags.steal = skerry::steal_mode::locked;
    flags.watchdog_seconds = 2.5;
    flags.trace = "run.json";
    flags.trace_memory = 4096;
    flags.devices = "none";
    flags.device_memory = skerry::device_memory::private_;
    flags.task_manager = skerry::task_manager_kind::nexus_model;
    const skerry::options changed = flags.over(environment);
    EXPECT_EQ(changed.workers, 3U);
    EXPECT_FALSE(changed.pin);
    EXPECT_EQ(changed.stack_size, 1U << 20U);
    EXPECT_EQ(changed.max_slots, 99U);
    EXPECT_EQ(changed.blocking_threads, 5U);
    EXPECT_EQ(changed.steal, skerry::steal_mode::locked);
    EXPECT_EQ(changed.watchdog_seconds, 2.5);
    EXPECT_EQ(changed.trace, "run.json");
    EXPECT_EQ(changed.trace_memory, 4096U);
    EXPECT_EQ(changed.devices, "none");
    EXPECT_EQ(changed.device_memory, skerry::device_memory::private_);
    EXPECT_EQ(changed.task_manager, skerry::task_manager_kind::nexus_model);
}

TEST(report, json_has_a_row_for_each) {
    auto absent = measured("three", 1.0, 1.0, true);
    absent.skipped = "not installed";
    std::vector rows{measured("one", 2.0, 1.0, false), absent};
    rows[0].done.steals_asked = 5;
    rows.push_back(measured("four", 1.0, 1.0, true));
    rows[2].copies.runs = {3.0, 1.5};
    const auto document = nlohmann::json::parse(cli::as_json(rows, settings));
    EXPECT_EQ(document["seed"], 7);
    EXPECT_EQ(document["workers"], 2);
    ASSERT_EQ(document["rows"].size(), 3U);
    EXPECT_EQ(document["rows"][0]["speed_up"], 2.0);
    EXPECT_EQ(document["rows"][0]["statistics"]["steals_asked"], 5);
    EXPECT_EQ(document["rows"][0]["check"]["ok"], false);
    EXPECT_EQ(document["rows"][0]["check"]["text"], "broken");
    EXPECT_FALSE(document["rows"][0].contains("copies"));
    EXPECT_EQ(document["rows"][2]["copies"]["min_s"], 1.5);
    EXPECT_EQ(document["rows"][1]["skipped"], "not installed");
    EXPECT_FALSE(document["rows"][1].contains("serial"));
}

} // namespace
