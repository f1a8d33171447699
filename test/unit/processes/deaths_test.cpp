// SPDX-License-Identifier: Apache-2.0

// One of several processes is killed: the others say which, and what it held, and end with a status of their own. A
// process that lived on would hold the pipe that each test reads to its end.

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "../base/child.hpp"
#include "fabric/shm/shm.hpp"
#include "launched_programs.hpp"
#include "left_behind.hpp"

namespace {

using skerry_test::child_result;
using testing::HasSubstr;

// "RANK,MICROSECONDS": that process kills itself so long after the moment `begun`.
constexpr const char* kill_variable = "SKERRY_TEST_KILL";

// Says how each process but the killed one has ended: the launcher tells only of who was first.
const std::vector<std::string>& telling_the_status() {
    static const std::vector<std::string> words{
        "/bin/sh", "-c",
        R"("$0" "$1"; s=$?; [ $s != 137 ] || kill -KILL $$; echo "process $SKERRY_RANK: status $s"; exit $s)"};
    return words;
}

std::size_t count(std::string_view all, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = all.find(what); at != std::string_view::npos; at = all.find(what, at + 1)) {
        ++n;
    }
    return n;
}

std::string killed(unsigned who) { return "process " + std::to_string(who) + " was killed by signal 9"; }

// What all the others of so many must do.
child_result expect_death(unsigned processes, const std::string& program, unsigned dead) {
    child_result r = skerry_test::launch_program(processes, program, true, telling_the_status());
    EXPECT_EQ(r.code, 128 + SIGKILL) << r.output;
    EXPECT_THAT(r.output, HasSubstr("launcher: " + killed(dead) + "\n"));
    EXPECT_EQ(count(r.output, "skerry: "), processes - 1) << r.output;
    EXPECT_EQ(count(r.output, "skerry: " + killed(dead) + "; it held "), processes - 1) << r.output;
    EXPECT_EQ(count(r.output, ": status "), processes - 1) << r.output;
    for (unsigned i = 0; i < processes; ++i) {
        if (i != dead) {
            EXPECT_THAT(r.output, HasSubstr("process " + std::to_string(i) + ": status 75\n"));
        }
    }
    EXPECT_THAT(skerry_test::left_behind(), testing::IsEmpty());
    return r;
}

TEST(deaths, one_of_three_is_named_with_what_it_held) {
    const std::string said = expect_death(3, "one_of_three", 2).output;
    EXPECT_EQ(count(said, killed(2) + "; it held no task\n"), 1U) << said; // by the one that had given it none
    std::smatch held;
    ASSERT_TRUE(std::regex_search(said, held, std::regex("; it held ([123]) tasks?: ([a-z, ]+)\n"))) << said;
    std::set<std::string> names;
    const std::string list = held[2];
    const std::regex word("[a-z]+");
    for (auto w = std::sregex_iterator(list.begin(), list.end(), word); w != std::sregex_iterator(); ++w) {
        EXPECT_TRUE(names.insert(w->str()).second) << said;
    }
    EXPECT_EQ(std::to_string(names.size()), held[1]) << said;
    std::smatch died;
    ASSERT_TRUE(std::regex_search(said, died, std::regex("dies in ([a-z]+)\n"))) << said;
    EXPECT_TRUE(names.contains(died[1])) << said;
}

TEST(deaths, a_task_is_named_by_the_process_that_has_spawned_it) {
    const child_result r = skerry_test::launch_program(3, "child_of_another", true, telling_the_status());
    const unsigned dead = r.output.find(killed(1)) != std::string::npos ? 1 : 2; // one has the parent, one the child
    EXPECT_EQ(r.code, 128 + SIGKILL) << r.output;
    EXPECT_EQ(count(r.output, "skerry: " + killed(dead) + "; it held 1 task: child\n"), 1U) << r.output;
    EXPECT_EQ(count(r.output, "skerry: " + killed(dead) + "; it held no task\n"), 1U) << r.output;
    EXPECT_THAT(r.output, HasSubstr("process 0: status 75\n"));
    EXPECT_THAT(r.output, HasSubstr("process " + std::to_string(3 - dead) + ": status 75\n"));
}

TEST(deaths, the_first_process_is_named_by_all_others) {
    const std::string said = expect_death(3, "the_first_of_three", 0).output;
    EXPECT_EQ(count(said, "; it held no task\n"), 2U) << said;
}

TEST(deaths, the_first_process_is_named_by_who_had_no_work) {
    const std::string said = expect_death(3, "the_first_when_nobody_has_work", 0).output;
    EXPECT_EQ(count(said, "; it held no task\n"), 2U) << said;
}

TEST(deaths, the_first_process_is_named_with_what_it_had_taken_back) {
    const std::string said = expect_death(2, "child_in_the_first", 0).output;
    EXPECT_EQ(count(said, "; it held 1 task: child\n"), 1U) << said;
}

class at_any_time : public testing::TestWithParam<const char*> {};

TEST_P(at_any_time, the_others_end_with_a_status) {
    constexpr int rounds = 8;
    constexpr unsigned processes = 3;
    std::mt19937 random(std::random_device{}());
    for (int i = 0; i < rounds; ++i) {
        const unsigned dead = static_cast<unsigned>(i) % processes;
        const std::string when =
            std::to_string(dead) + "," + std::to_string(std::uniform_int_distribution(0, 100'000)(random));
        SCOPED_TRACE(when);
        ::setenv(kill_variable, when.c_str(), 1);
        expect_death(processes, GetParam(), dead);
        ::unsetenv(kill_variable);
    }
}

INSTANTIATE_TEST_SUITE_P(deaths, at_any_time, testing::Values("many_tasks", "digits"),
                         [](const auto& name) { return std::string(name.param); });

// If this process is the one.
void die_in_time() {
    const char* const when = std::getenv(kill_variable);
    unsigned dead = 0;
    unsigned microseconds = 0;
    if (when == nullptr || std::sscanf(when, "%u,%u", &dead, &microseconds) != 2 ||
        std::getenv("SKERRY_RANK") != std::to_string(dead)) {
        return;
    }
    std::thread([microseconds] {
        skerry_test::await(skerry_test::moment::begun);
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
        ::kill(::getpid(), SIGKILL);
    }).detach();
}

} // namespace

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        die_in_time();
        return skerry_test::run_launched_program(argc > 1 ? argv[1] : "");
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
