// SPDX-License-Identifier: Apache-2.0

// Tasks that crossed to another process and touch what they did not declare, or write what they declared in(). Debug
// builds name the task, the access and the address; see src/coherence/exposure.hpp.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "../base/child.hpp"
#include "coherence/exposure.hpp"
#include "launched_programs.hpp"

namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// `workers`: of the second process; the first has one.
skerry_test::child_result launched(const std::string& program, const char* workers = "1") {
    return skerry_test::run_in_child([&] {
        ::setenv("SKERRY_WORKERS", workers, 1);
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        // The shell tells the first process's status: the launcher tells of who ended first.
        const skerry::launch_result end =
            skerry::launch(2,
                           {"/bin/sh", "-c",
                            R"(if [ $SKERRY_RANK = 0 ]; then SKERRY_WORKERS=1 "$0" "$1"; echo status $?
                               else exec "$0" "$1"; fi)",
                            self, program},
                           {.grace_seconds = 5});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
}

class Undeclared : public testing::Test {
  protected:
    void SetUp() override {
        if constexpr (!skerry::detail::accesses_are_guarded) {
            GTEST_SKIP() << "a check of debug builds";
        }
    }

    static void expect_death(const std::string& program, const std::string& message, const std::string& held,
                             const char* workers = "1") {
        const auto r = launched(program, workers);
        EXPECT_THAT(r.output, ContainsRegex(message));
        EXPECT_THAT(r.output,
                    ContainsRegex("skerry: process 1 was killed by signal 6; it held 1 task: " + held + "\n"));
        EXPECT_THAT(r.output, HasSubstr("status 75\n"));
    }
};

TEST_F(Undeclared, AnObjectThatWasNeverBrought) {
    expect_death(
        "never_brought",
        "skerry: task 'snoop' touches 0x[0-9a-f]+, which it does not declare; it has 1 access; the nearest is "
        "inout 4 bytes at 0x[0-9a-f]+, before it by [0-9]+. No region that this process knows has the address; "
        "name the object in in\\(\\), out\\(\\) or inout\\(\\) where the task is spawned\n",
        "snoop");
}

TEST_F(Undeclared, AnObjectOfAnEarlierTask) {
    expect_death("closed_again",
                 "skerry: task 'snoop' touches 0x[0-9a-f]+, which it does not declare; it has 1 access;", "snoop");
}

TEST_F(Undeclared, ATaskWithoutANameIsKnownByItsType) {
    expect_death("without_a_name",
                 "skerry: a task without a name .*(without_a_name|undeclared_programs.cpp).* touches 0x[0-9a-f]+, "
                 "which it does not declare; it "
                 "has 1 access;",
                 "[^\n]*(without_a_name|undeclared_programs.cpp)[^\n]*");
}

TEST_F(Undeclared, AStolenBranchIsItsTask) {
    expect_death("stolen_branch", "skerry: task 'forks' touches 0x[0-9a-f]+, which it does not declare", "forks", "2");
}

TEST_F(Undeclared, AChildOfATaskThatDoesNotDeclareIt) {
    expect_death(
        "child_of_a_bracket",
        "skerry: task 'child' touches 0x[0-9a-f]+, which it declares as inout 4 bytes at 0x[0-9a-f]+, but task "
        "'bracket', in which it came to this process, does not. No region that this process knows has the "
        "address; name the object where that one is spawned\n",
        "bracket");
}

TEST_F(Undeclared, WritingWhatIsDeclaredIn) {
    expect_death(
        "writes_what_it_reads",
        "skerry: task 'scribbler' writes 0x[0-9a-f]+, which it declares as in 40000 bytes at 0x[0-9a-f]+. No "
        "region that this process knows has the address; name it in out\\(\\) or inout\\(\\) where the task is "
        "spawned\n",
        "scribbler");
}

TEST_F(Undeclared, WritingInARegionThatIsDeclaredIn) {
    expect_death("writes_in_a_region_it_reads",
                 "skerry: task 'scribbler' writes 0x[0-9a-f]+, which it declares as in region [0-9]+. The address lies "
                 "in region 0x[0-9a-f]+, in an object of 64 bytes at 0x[0-9a-f]+; name it",
                 "scribbler");
}

TEST_F(Undeclared, TheMessageSaysWhatToDo) {
    EXPECT_THAT(launched("never_brought").output,
                HasSubstr("; name the object in in(), out() or inout() where the task is spawned\n"));
    EXPECT_THAT(launched("writes_what_it_reads").output,
                HasSubstr("; name it in out() or inout() where the task is spawned\n"));
}

TEST_F(Undeclared, WritingBesideWhatMayBeWritten) {
    const auto r = launched("writes_beside");
    EXPECT_EQ(r.code, 0);
    EXPECT_THAT(
        r.output,
        ContainsRegex("skerry: task 'scribbler' declares in 4 bytes at 0x[0-9a-f]+ \\(access 1 of 2\\), and they "
                      "are changed when it ends; declare it with inout\\(\\), or wait for the task before you "
                      "write there\n"));
}

TEST_F(Undeclared, WhatIsDeclaredIsOpen) {
    const auto r = launched("rights");
    EXPECT_EQ(r.output, "status 0\nlauncher: \n");
}

TEST_F(Undeclared, WhatATaskHasMadeStaysOpenToIt) {
    const auto r = skerry_test::launch_program(2, "read_meanwhile");
    EXPECT_EQ(r.code, 0) << r.output;
}

TEST_F(Undeclared, WhatAnotherHasGivenBackIsClosed) {
    const auto r = skerry_test::launch_program(2, "given_back_elsewhere");
    EXPECT_EQ(r.code, 0) << r.output;
}

// No sums are made of it: its books may change while a task reads there.
TEST_F(Undeclared, ARegionThatAnotherWritesIsSeenByItsPagesAlone) {
    const auto r = skerry_test::launch_program(2, "writes_in_a_region_it_reads", false);
    EXPECT_EQ(r.code, 0) << r.output;
}

#ifndef SKERRY_SANITIZED // the sanitizer ends the process when it gets no mapping itself
TEST_F(Undeclared, WithoutMappingsTheProgramGoesOn) {
    std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "r");
    unsigned long most = 0;
    const bool known = file != nullptr && std::fscanf(file, "%lu", &most) == 1;
    if (file != nullptr) {
        std::fclose(file);
    }
    if (!known || most > 70'000) {
        GTEST_SKIP() << "this system has more mappings than the test can use up";
    }
    const auto r = launched("too_many_mappings");
    EXPECT_EQ(r.output, "skerry: accesses are not checked any more: no memory, or vm.max_map_count is reached\n"
                        "status 0\nlauncher: \n");
}
#endif

} // namespace
