// SPDX-License-Identifier: Apache-2.0

// The programs of the steal contract on hardware threads, under each protocol that they have.

#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "programs.hpp"

namespace skerry_test {

namespace {

using parameters = std::tuple<skerry::steal_mode, program>;

const char* name_of(skerry::steal_mode m) { return m == skerry::steal_mode::locked ? "locked" : "asymmetric"; }

class steal : public testing::TestWithParam<parameters> {};

TEST_P(steal, conforms) {
    const auto& [mode, p] = GetParam();
    if (mode == skerry::steal_mode::asymmetric && !machine::asymmetric()) {
        GTEST_SKIP() << "this kernel or build has no asymmetric steals";
    }
    skerry::options o;
    o.workers = p.workers != 0 ? p.workers : 4;
    o.steal = mode;
    skerry::runtime rt(o);
    std::uint64_t before = 0;
    for (int round = 0; round < 5; ++round) {
        const char* const wrong = rt.run([run = p.run] { return run(); });
        ASSERT_EQ(wrong, nullptr) << wrong;
        const std::uint64_t steals = rt.stats().steals_granted;
        EXPECT_GE(steals - before, p.steals) << "round " << round;
        before = steals;
    }
}

INSTANTIATE_TEST_SUITE_P(protocols, steal,
                         testing::Combine(testing::Values(skerry::steal_mode::asymmetric, skerry::steal_mode::locked),
                                          testing::ValuesIn(programs)),
                         [](const testing::TestParamInfo<parameters>& i) {
                             return std::string(name_of(std::get<0>(i.param))) + "_" + std::get<1>(i.param).name;
                         });

} // namespace

} // namespace skerry_test
