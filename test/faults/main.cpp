// SPDX-License-Identifier: Apache-2.0

// Programs over several processes, and random ones over regions, while a fault is switched on (fault.cpp).

#include <string>

#include <gmock/gmock.h>

#include "../unit/coherence/two_processes.hpp"
#include "../unit/processes/launched_programs.hpp"
#include "../unit/processes/programs.hpp"
#include "fabric/shm/shm.hpp"

namespace {

// By name: a program of test/unit/processes over two processes, or one of test/unit/coherence/two_processes.
class Launched : public testing::TestWithParam<const char*> {};

TEST_P(Launched, Program) {
    const auto r = skerry_test::launch_program(2, GetParam());
    EXPECT_EQ(r.code, 0) << r.output;
}

// It takes three or more, and luck, until one of them has an old copy: in each fourth run of four processes.
TEST(LaunchedByFour, NestsAgainAndAgain) {
    for (int i = 0; i < 50 && !HasFailure(); ++i) {
        const auto r = skerry_test::launch_program(4, "nests");
        EXPECT_EQ(r.code, 0) << r.output;
    }
}

INSTANTIATE_TEST_SUITE_P(Processes, Launched,
                         testing::Values("regions_in_turn", "regions_random", "chain", "in_turn", "regions",
                                         "both_modes"),
                         [](const auto& name) { return std::string(name.param); });

// Whether the name begins so; it is cut off then.
bool takes(std::string& name, const std::string& before) {
    const bool found = name.starts_with(before);
    name = found ? name.substr(before.size()) : name;
    return found;
}

int run_launched(char* self, std::string name) {
    if (skerry_test::is_launched_program(name)) {
        return skerry_test::run_launched_program(name);
    }
    const bool regions = takes(name, "regions_");
    char* arguments[] = {self, name.data(), nullptr};
    return regions ? skerry_test::run_two_processes(2, arguments) : skerry_test::run_program(2, arguments);
}

} // namespace

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        return run_launched(argv[0], argc > 1 ? argv[1] : "");
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
