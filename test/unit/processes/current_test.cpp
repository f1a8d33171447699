// SPDX-License-Identifier: Apache-2.0

// What a task finds in another process is the current version, all of it.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <skerry/launch.hpp>

#include "../base/child.hpp"
#include "current_programs.hpp"

namespace {

class Current : public testing::TestWithParam<const char*> {};

TEST_P(Current, Bytes) {
    const auto r = skerry_test::run_in_child([] {
        ::setenv("SKERRY_WORKERS", "1", 1);
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        const auto end = skerry::launch(2, {self, GetParam()}, {.grace_seconds = 2});
        std::fprintf(stderr, "launcher: %s\n", end.text.c_str());
        return end.status;
    });
    EXPECT_EQ(r.code, 0) << r.output;
}

INSTANTIATE_TEST_SUITE_P(Two, Current, testing::Values("every_byte", "in_between", "there_and_back", "own_bytes"),
                         [](const auto& name) { return std::string(name.param); });

} // namespace
