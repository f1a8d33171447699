// SPDX-License-Identifier: Apache-2.0

// Dataflow tasks over several processes. Each test launches a program of programs.cpp, which checks itself.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "../base/child.hpp"
#include "../base/reach.hpp"
#include "../trace/picture.hpp"
#include "base/port/peer_memory.hpp"
#include "coherence/exposure.hpp"
#include "fabric/shm/shm.hpp"
#include "left_behind.hpp"
#include "programs.hpp"

namespace {

using skerry_test::child_result;
using skerry_test::left_behind;
using skerry_test::picture;
using skerry_test::run_in_child;
using testing::HasSubstr;

child_result launched(unsigned processes, const std::vector<std::string>& command, const char* workers = "1") {
    return run_in_child([&] {
        ::setenv("SKERRY_WORKERS", workers, 1);
        const skerry::launch_result end = skerry::launch(processes, command, {.grace_seconds = 5});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

const std::string& self() {
    static const std::string path = std::filesystem::read_symlink("/proc/self/exe").string();
    return path;
}

void expect_well(unsigned processes, const std::string& program, const char* workers = "1",
                 const std::string& says = "") {
    const child_result r = launched(processes, {self(), program}, workers);
    EXPECT_EQ(r.code, 0) << program;
    EXPECT_EQ(r.output, says + "launcher: \n");
}

// Two processes, each of which does all that the program does.
void expect_never_met(const std::string& program) {
    const child_result r = launched(2, {self(), program});
    EXPECT_EQ(r.code, 0) << program;
    EXPECT_EQ(r.output, "launcher: the 2 processes never met, and each has run the whole program: it calls run() of no "
                        "skerry::runtime, where they meet, or has more rights than its caller and reads no variable\n");
}

// Two processes with so many workers each.
void expect_well_with_workers(const char* first, const char* second, const std::string& program) {
    const std::string start =
        std::string("[ $SKERRY_RANK != 0 ] || export SKERRY_WORKERS=") + first + R"(; exec "$0" )" + program;
    const child_result r = launched(2, {"/bin/sh", "-c", start, self()}, second);
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.output, "launcher: \n");
}

class results_are_the_serial_ones : public testing::TestWithParam<const char*> {};

TEST_P(results_are_the_serial_ones, with_two_processes) { expect_well(2, GetParam()); }
TEST_P(results_are_the_serial_ones, with_three_processes) { expect_well(3, GetParam()); }

INSTANTIATE_TEST_SUITE_P(programs, results_are_the_serial_ones,
                         testing::Values("chain", "readers", "tiles", "values", "in_turn", "containers", "parts",
                                         "nested"),
                         [](const auto& name) { return std::string(name.param); });

TEST(processes, several_workers_each) { expect_well(2, "tiles", "2"); }
TEST(processes, a_region_is_one_access) { expect_well(2, "regions"); }
TEST(processes, exceptions_arrive_as_texts) { expect_well(2, "errors"); }
TEST(processes, what_cannot_cross_stays) { expect_well(2, "staying"); }
TEST(processes, pointers_to_what_is_in_no_region_stay) { expect_well(2, "pointers"); }
TEST(processes, functions_of_other_libraries_stay) { expect_well(2, "foreign_function"); }
TEST(processes, work_spreads_over_two) { expect_well(2, "spread"); }
TEST(processes, work_spreads_over_three) { expect_well(3, "spread"); }

TEST(processes, each_kind_of_spawned_task_crosses_and_comes_back) { expect_well(2, "kinds"); }
TEST(processes, waits_inside_waits) {
    expect_well(2, "nests");
    expect_well(3, "nests");
    expect_well(2, "nests", "2");
    expect_well(3, "nests", "2");
}
TEST(processes, regions_are_read_and_written_on_both_sides) {
    expect_well(2, "forests");
    expect_well(3, "forests");
    expect_well(2, "forests", "2");
}
TEST(processes, what_declares_nothing_stays) { expect_well(2, "undeclared"); }

TEST(processes, what_declares_no_bytes_goes) { expect_well(2, "no_bytes"); }
TEST(processes, what_is_read_and_written_is_written) { expect_well(2, "both_modes"); }
TEST(processes, what_is_only_read_does_not_come_back) { expect_well(2, "read_beside"); }
TEST(processes, what_is_read_is_not_sent_again) { expect_well_with_workers("1", "2", "sent_once"); }
TEST(processes, an_idle_worker_of_the_first_process_asks_for_work) {
    expect_well_with_workers("2", "1", "idle_at_home");
}

TEST(processes, no_run) {
    expect_never_met("no_run");
    expect_never_met("no_run_of_a_runtime");
    expect_never_met("no_run_but_a_loop");
}
TEST(processes, an_empty_run) { expect_well(3, "nothing"); }
TEST(processes, run_twice_and_go_on) { expect_well(2, "twice", "1", "went on\n"); }
TEST(processes, all_on_one_cpu_end) {
    for (int i = 0; i < 8; ++i) {
        expect_well(2, "one_cpu");
    }
}
TEST(processes, one_alone) {
    expect_well(1, "tiles");
    expect_well(1, "nothing");
}

TEST(processes, a_killed_one_is_named_with_what_it_held) {
    // The shell is there to tell the first process's exit status: the launcher tells of who ended first.
    const child_result r = launched(
        2, {"/bin/sh", "-c", "if [ $SKERRY_RANK = 0 ]; then \"$0\" doomed; echo status $?; else exec \"$0\" doomed; fi",
            self()});
    EXPECT_EQ(r.code, 128 + SIGKILL) << r.output;
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 was killed by signal 9; it held 1 task: doomed\n"));
    EXPECT_THAT(r.output, HasSubstr("status 75\n"));
    EXPECT_THAT(r.output, HasSubstr("launcher: process 1 was killed by signal 9\n"));
    EXPECT_THAT(left_behind(), testing::IsEmpty());
}

// No type tells of this pointer, so the task goes.
TEST(processes, a_hidden_pointer_is_named_as_what_may_have_killed_a_process) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "sanitizers handle the signal";
    }
    const child_result r = launched(2, {self(), "hidden"});
    EXPECT_THAT(r.output, HasSubstr("skerry: process 1 was killed by signal 11; it held 1 task: hidden; pointers to "
                                    "memory outside regions do not cross, neither in a value nor in an object\n"));
}

// --- the trace of all -----------------------------------------------------------------------------------------------

class traced : public testing::Test {
  protected:
    void SetUp() override { ::setenv("SKERRY_TRACE", path_.c_str(), 1); }
    void TearDown() override {
        ::unsetenv("SKERRY_TRACE");
        std::filesystem::remove(path_);
    }
    [[nodiscard]] picture seen() const {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return picture(text.str());
    }

  private:
    const std::string path_ = testing::TempDir() + "skerry_trace_" + std::to_string(std::random_device{}()) + ".json";
};

std::size_t instants(const picture& p, const std::string& kind, unsigned process) {
    return static_cast<std::size_t>(std::ranges::count_if(
        p.instants, [&](const auto& i) { return i.at("cat") == kind && i.at("pid") == process; }));
}

TEST_F(traced, all_processes_share_one_picture) {
    expect_well(2, "chain");
    const picture p = seen();
    ASSERT_EQ(p.processes.size(), 2U);
    EXPECT_EQ(p.processes.at(0), "process 0: skerry runtime with 1 worker");
    EXPECT_EQ(p.processes.at(1), "process 1: skerry runtime with 1 worker");
    EXPECT_EQ(instants(p, "spawn", 0), 80U);
    EXPECT_EQ(instants(p, "ready", 0), 80U);
    EXPECT_EQ(instants(p, "steal", 1), 80U);
    EXPECT_EQ(instants(p, "ready", 1), 80U);

    // All 80 run over there, each after it was taken, and by the names they have here.
    std::map<std::uint64_t, double> ready;
    for (const auto& i : p.instants) {
        if (i.at("pid") == 1 && i.at("cat") == "ready") {
            EXPECT_TRUE(ready.emplace(i.at("args").at("task"), i.at("ts")).second);
        } else if (i.at("pid") == 1 && i.at("cat") == "steal") {
            EXPECT_EQ(i.at("args").at("how"), "message");
            EXPECT_EQ(i.at("args").at("victim"), 0);
        }
    }
    std::size_t turned = 0;
    double first = 1e300;
    double last = 0;
    for (const auto& [where, slices] : p.slices) {
        for (const skerry_test::slice& s : slices) {
            if (where.first == 1 && s.category == "start") {
                ASSERT_TRUE(ready.contains(s.args.at("task")));
                EXPECT_LE(ready.at(s.args.at("task")), s.begin);
                first = std::min(first, s.begin);
                last = std::max(last, s.end);
                turned += s.name == "turned" ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(ready.size(), 80U);
    EXPECT_EQ(turned, 20U);

    // One clock: what runs there lies within the one call of run() here.
    const auto enter = std::ranges::find(p.slices.at({0, 0}), "enter", &skerry_test::slice::category);
    ASSERT_NE(enter, p.slices.at({0, 0}).end());
    EXPECT_LT(enter->begin, first);
    EXPECT_GT(enter->end, last);

    // The object comes once. It goes back after each task, or once it is waited for if the first process can get it
    // then.
    const bool stays = skerry::port::uses_peer_memory && skerry_test::processes_reach_each_other() &&
                       !skerry::detail::accesses_are_guarded;
    EXPECT_EQ(p.transfers.size(), stays ? 2U : 81U);
    std::size_t there = 0;
    for (const skerry_test::slice& t : p.transfers) {
        const bool comes = t.args.at("from") == 0;
        there += comes ? 1 : 0;
        EXPECT_EQ(t.args.at("way"), comes || stays ? "pull" : "push");
        EXPECT_EQ(t.args.at("to"), comes ? 1 : 0);
        EXPECT_EQ(t.args.at("size in bytes"), 8);
        EXPECT_FALSE(t.unfinished);
    }
    EXPECT_EQ(there, 1U);
}

TEST_F(traced, three_processes_and_none_that_does_not_run) {
    expect_well(3, "spread");
    const picture p = seen();
    EXPECT_EQ(p.processes.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_TRUE(std::ranges::any_of(p.slices, [i](const auto& t) {
            return t.first.first == i &&
                   std::ranges::any_of(t.second, [](const auto& s) { return s.category == "start"; });
        })) << i;
    }
    expect_never_met("no_run_of_a_runtime");
    EXPECT_EQ(seen().processes.size(), 1U); // made anew
}

TEST_F(traced, the_death_of_another_loses_nothing_of_the_first) {
    const child_result r = launched(2, {self(), "doomed"});
    EXPECT_EQ(r.code, 128 + SIGKILL) << r.output;
    const picture p = seen();
    ASSERT_EQ(p.processes.size(), 1U);
    EXPECT_EQ(instants(p, "spawn", 0), 1U);
    EXPECT_THAT(p.instants.front().dump(), HasSubstr("\"doomed\""));
}

} // namespace

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        return skerry_test::run_program(argc, argv);
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
