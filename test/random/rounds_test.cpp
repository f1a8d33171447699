// SPDX-License-Identifier: Apache-2.0

// What a round says of a program that fails. Here the programs are only looked at: each that has a task which writes
// all of region 1 fails, in one of several ways.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rounds.hpp"

namespace random_programs {

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

bool writes_region_1(const statement& s) {
    return s.what == statement::kind::spawn && std::ranges::any_of(s.accesses, [](const access& a) {
               return a.what == access::kind::region && a.first == 1 && writes(a.how);
           });
}

// A back end on which such a program does what `fails` does.
back_end with(const std::function<std::string(std::size_t programs)>& fails) {
    const auto run = [fails](unsigned, std::span<const choices> list) {
        std::vector<program> programs;
        for (const choices& c : list) {
            programs.push_back(made_of(c));
        }
        return skerry_test::run_in_child([&] {
            return run_programs(
                programs, 1,
                [&](std::uint32_t i) {
                    const std::vector<const statement*> all = programs[i].index();
                    const bool found = std::ranges::any_of(all, [](const auto* s) { return writes_region_1(*s); });
                    return found ? fails(programs.size()) : std::string();
                },
                [] { return spread{}; });
        });
    };
    return {.run = run, .variants = 1, .seconds = 0, .fewest = 0, .percent_elsewhere = 0};
}

struct told {
    std::string program; // as it was, with what was wrong
    std::string shrunk;
};

told report_of(const std::function<std::string(std::size_t)>& fails, bool shrinks) {
    const back_end on = with(fails);
    std::uint64_t seed = first_seed();
    round_result r = run_round(on, seed);
    for (int rounds = 1; r.wrong.empty() && rounds < 20; ++rounds) { // in few is there no such task
        r = run_round(on, ++seed);
    }
    const std::string text = report(on, seed, r, shrinks);
    EXPECT_THAT(text, AllOf(HasSubstr("program " + std::to_string(r.begun() - 1) + " of seed " + std::to_string(seed)),
                            HasSubstr("SKERRY_STRESS_SEED=" + std::to_string(seed) + " repeats the round.")));
    const std::string title = "Shrunk:\n";
    const std::size_t at = text.find(title);
    const std::size_t end = text.find("\nSKERRY_STRESS_SEED");
    return {.program = text.substr(0, std::min(at, end)),
            .shrunk = at < end ? text.substr(at + title.size(), end - at - title.size()) : ""};
}

TEST(Rounds, AProgramIsShrunkToWhatFails) {
    const told t = report_of([](std::size_t) { return "it writes region 1"; }, true);
    EXPECT_THAT(t.program, AllOf(HasSubstr("exit status 1\nit writes region 1"), HasSubstr("inout(region[1])")));
    EXPECT_THAT(t.shrunk, AllOf(HasSubstr("exit status 1\nit writes region 1"), HasSubstr("inout(region[1])"),
                                Not(HasSubstr("touch(")), Not(HasSubstr("throw")), Not(HasSubstr("destroy"))));
    std::size_t tasks = 0;
    for (std::size_t at = t.shrunk.find("spawn("); at != std::string::npos; at = t.shrunk.find("spawn(", at + 1)) {
        ++tasks;
    }
    EXPECT_LE(tasks, 4U) << "it and those around it\n" << t.shrunk;
}

TEST(Rounds, ACrashIsShownWithItsProgram) {
    const told t = report_of([](std::size_t) -> std::string { std::abort(); }, true);
    EXPECT_THAT(t.program, AllOf(HasSubstr("signal 6"), HasSubstr("inout(region[1])")));
    EXPECT_THAT(t.shrunk, AllOf(HasSubstr("signal 6"), HasSubstr("inout(region[1])")));
}

TEST(Rounds, AProgramWithoutEndIsShown) {
    const told t = report_of([](std::size_t) -> std::string { return std::to_string(::pause()); }, false);
    EXPECT_THAT(t.program, AllOf(HasSubstr("signal 14"), HasSubstr("inout(region[1])")));
}

TEST(Rounds, WhatFailsOnlyAmongOthersIsNotShrunk) {
    const told t = report_of([](std::size_t programs) { return programs == 100 ? "among others" : ""; }, true);
    EXPECT_THAT(t.program, AllOf(HasSubstr("among others"), HasSubstr("Alone it does not fail.")));
    EXPECT_EQ(t.shrunk, "");
}

} // namespace
} // namespace random_programs
