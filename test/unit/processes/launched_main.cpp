// SPDX-License-Identifier: Apache-2.0

// Tests that launch this program again, and what it does then.

#include <gmock/gmock.h>

#include "fabric/shm/shm.hpp"
#include "launched_programs.hpp"

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        return skerry_test::run_launched_program(argc > 1 ? argv[1] : "");
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
