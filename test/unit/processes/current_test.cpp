// SPDX-License-Identifier: Apache-2.0

// What a task finds in another process is the current version, all of it, and so is what is found after it.

#include <string>

#include <gmock/gmock.h>

#include "../base/reach.hpp"
#include "base/port/peer_memory.hpp"
#include "coherence/exposure.hpp"
#include "launched_programs.hpp"

namespace {

void expect_well(unsigned processes, const std::string& program, bool guard) {
    const auto r = skerry_test::launch_program(processes, program, guard);
    EXPECT_EQ(r.code, 0) << r.output;
}

struct named {
    template <class Name>
    std::string operator()(const Name& name) const {
        return name.param;
    }
};

const auto programs =
    testing::Values("every_byte", "in_between", "there_and_back", "own_bytes", "by_a_task", "by_a_region",
                    "after_an_error", "by_a_finish", "by_taskwait_on", "by_the_end_of_a_run", "by_who_looks_into_it",
                    "by_one_that_comes_back", "by_a_child", "by_a_child_alone");

class Current : public testing::TestWithParam<const char*> {};
TEST_P(Current, Bytes) { expect_well(2, GetParam(), true); }
INSTANTIATE_TEST_SUITE_P(Two, Current, programs, named());

// The same where debug builds, too, leave with a process what was written there.
class Kept : public Current {};
TEST_P(Kept, Bytes) { expect_well(2, GetParam(), false); }
TEST_P(Kept, AmongThree) { expect_well(3, GetParam(), false); }
INSTANTIATE_TEST_SUITE_P(Two, Kept, programs, named());

TEST(Keeping, NobodyBringsWhatIsBeingWritten) { expect_well(2, "by_nobody", false); }
TEST(Keeping, AnIdleWorkerBrings) { expect_well(2, "ahead_of_need", false); }

TEST(Keeping, OthersFindWhatOneKeeps) {
    expect_well(3, "by_others", true);
    expect_well(3, "by_others", false);
}

bool reached() { return skerry::port::uses_peer_memory && skerry_test::processes_reach_each_other(); }

// Bytes stay where they were written if the first process can get them when it likes.
TEST(Keeping, WhereOneCanReadTheOther) {
    expect_well(2, reached() ? "stays" : "is_sent", false);
    expect_well(2, reached() && !skerry::detail::accesses_are_guarded ? "stays" : "is_sent", true);
}

// Where it is kept, the first process says so; where it is sent, the process that sends it cannot read it either.
TEST(Keeping, WhatCannotBeReadEndsTheProgram) {
    const auto r = skerry_test::launch_program(2, "closes_its_pages", false);
    EXPECT_NE(r.code, 0);
    const auto told = testing::HasSubstr("skerry: a process that goes on does not let what it wrote be read\n");
    if (reached()) {
        EXPECT_THAT(r.output, told);
        EXPECT_THAT(r.output, testing::HasSubstr("launcher: process 0 was killed by signal 6\n"));
    } else {
        EXPECT_THAT(r.output, testing::Not(told));
    }
}

TEST(Keeping, WhoDiesWithWhatItWroteIsNamed) {
    const auto r = skerry_test::launch_program(2, "dies_with_what_it_wrote", false);
    EXPECT_THAT(r.output, testing::HasSubstr("launcher: process 1 was killed by signal 9\n"));
    const auto named = testing::HasSubstr("skerry: process 1 was killed by signal 9; it held no task\n");
    const auto went_on = testing::HasSubstr("went on"); // it had sent what it wrote
    if (reached()) {
        EXPECT_THAT(r.output, testing::AllOf(named, testing::Not(went_on)));
    } else {
        EXPECT_THAT(r.output, testing::AnyOf(named, went_on));
    }
}

} // namespace
