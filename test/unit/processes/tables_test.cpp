// SPDX-License-Identifier: Apache-2.0

// Processes of one run that run different executables. A task crosses as an index into a table of their types: what the
// other process finds there would be another task.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "../base/child.hpp"

namespace {

using skerry_test::child_result;

constexpr const char* adds_1 = ADDING_PROGRAMS "adds_1";
constexpr const char* adds_2 = ADDING_PROGRAMS "adds_2";
constexpr const char* adds_1_and_2 = ADDING_PROGRAMS "adds_1_and_2";
constexpr const char* adds_1_otherwise = ADDING_PROGRAMS "adds_1_otherwise";
constexpr const char* unmarked = ADDING_PROGRAMS "unmarked";
constexpr const char* unmarked_otherwise = ADDING_PROGRAMS "unmarked_otherwise";

// Comes back when the last process that could print has ended.
child_result launched(const char* first, const char* second) {
    return skerry_test::run_in_child([=] {
        ::setenv("SKERRY_WORKERS", "1", 1);
        ::setenv("LLVM_PROFILE_FILE", "/dev/null", 1); // a build that counts lines cannot tell these programs apart
        const skerry::launch_result end =
            skerry::launch(2, {"/bin/sh", "-c", R"([ $SKERRY_RANK = 0 ] && exec "$0" || exec "$1")", first, second},
                           {.grace_seconds = 10});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

struct table {
    unsigned tasks = 0;
    std::string hash;
    std::string code;
};

// What both processes say of each other's table, and nothing else is said: neither has begun.
void expect_refused(const char* first, const char* second, table (&tables)[2]) {
    const child_result r = launched(first, second);
    EXPECT_EQ(r.code, 7);
    for (const std::string self : {"0", "1"}) {
        const std::string other = self == "0" ? "1" : "0";
        const std::string has = " has ([0-9]+) task functions \\(table (0x[0-9a-f]+), code (0x[0-9a-f]+)\\)";
        std::string text = "(^|\n)skerry: the processes run different programs: process ";
        text.append(other).append(has).append(", process ").append(self).append(has).append("\n");
        const std::regex message(text);
        std::smatch said;
        ASSERT_TRUE(std::regex_search(r.output, said, message)) << "process " << self << ":\n" << r.output;
        tables[std::stoi(other)] = {static_cast<unsigned>(std::stoul(said[2])), said[3], said[4]};
        tables[std::stoi(self)] = {static_cast<unsigned>(std::stoul(said[5])), said[6], said[7]};
    }
    EXPECT_THAT(r.output, testing::ContainsRegex("launcher: process [01] ended with exit status 7\n"));
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
        EXPECT_EQ(entry.path().string().find("skerry"), std::string::npos) << entry.path();
    }
}

TEST(tables, one_executable_runs) {
    for (const char* const program : {adds_1, adds_2, adds_1_and_2, adds_1_otherwise, unmarked}) {
        const child_result r = launched(program, program);
        EXPECT_EQ(r.code, 0);
        EXPECT_EQ(r.output, "launcher: \n");
    }
}

TEST(tables, as_many_tasks_of_another_type_are_refused) {
    table tables[2];
    expect_refused(adds_1, adds_2, tables);
    EXPECT_EQ(tables[0].tasks, tables[1].tasks);
    EXPECT_NE(tables[0].hash, tables[1].hash);
}

// A function's address crosses as its place in the program.
TEST(tables, the_same_types_in_another_program_are_refused) {
    table tables[2];
    expect_refused(adds_1, adds_1_otherwise, tables);
    EXPECT_EQ(tables[0].tasks, tables[1].tasks);
    EXPECT_EQ(tables[0].hash, tables[1].hash);
    EXPECT_NE(tables[0].code, tables[1].code);
    expect_refused(unmarked, unmarked_otherwise, tables); // without build ids their code is compared
    EXPECT_EQ(tables[0].hash, tables[1].hash);
    EXPECT_NE(tables[0].code, tables[1].code);
}

TEST(tables, one_task_more_is_refused) {
    table tables[2];
    expect_refused(adds_1, adds_1_and_2, tables);
    EXPECT_EQ(tables[0].tasks + 1, tables[1].tasks);
    EXPECT_NE(tables[0].hash, tables[1].hash);
    expect_refused(adds_1_and_2, adds_1, tables);
    EXPECT_EQ(tables[0].tasks, tables[1].tasks + 1);
}

} // namespace
