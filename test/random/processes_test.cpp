// SPDX-License-Identifier: Apache-2.0

// Random programs over several processes against their serial elision.

#include <gtest/gtest.h>

#include "rounds.hpp"

TEST(RandomProcesses, EqualTheirElision) {
    random_programs::expect_programs_equal_their_elision(
        random_programs::this_back_end(random_programs::usual_patience_seconds));
}

int main(int argc, char** argv) {
    if (const std::optional<int> code = random_programs::run_launched(argc, argv)) {
        return *code;
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
