// SPDX-License-Identifier: Apache-2.0

// Tests that launch this program again, and what it does then.

#include <string>

#include <gmock/gmock.h>

#include "current_programs.hpp"
#include "fabric/shm/shm.hpp"
#include "undeclared_programs.hpp"

int main(int argc, char** argv) {
    if (skerry::fabric::shm::launched()) {
        const std::string name = argc > 1 ? argv[1] : "";
        return skerry_test::is_current_program(name) ? skerry_test::run_current_program(name)
                                                     : skerry_test::run_undeclared_program(name);
    }
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
