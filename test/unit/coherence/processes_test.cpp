// SPDX-License-Identifier: Apache-2.0

// Regions between two launched processes, with their contents: see two_processes.cpp for what these do.

#include <string>

#include <gtest/gtest.h>
#include <skerry/launch.hpp>

#include "fabric/shm/shm.hpp"
#include "two_processes.hpp"

namespace {

void expect_success(const std::string& what) {
    const skerry::launch_result end = skerry::launch(2, {"/proc/self/exe", what}, {.grace_seconds = 2});
    EXPECT_EQ(end.status, 0) << end.text;
}

TEST(Processes, ExtendStructuresInTurn) { expect_success("in_turn"); }

TEST(Processes, RandomProgramsDoWhatAMapDoes) { expect_success("random"); }

} // namespace

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        return skerry_test::run_two_processes(argc, argv);
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
