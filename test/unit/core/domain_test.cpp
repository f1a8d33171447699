// SPDX-License-Identifier: Apache-2.0

// What joins hardware threads. That of simulated cores is in test/conformance/steal/simulated_test.cpp.

#include <gtest/gtest.h>
#include <skerry/detail/core/domain.hpp>

namespace {

using namespace skerry::detail;

TEST(domain, threads_are_coherent_and_their_process_is_one) {
    EXPECT_EQ(edge_between_workers(), edge::coherent);
    EXPECT_EQ(domain_of(0, 0), domain_of(0, 5));
    EXPECT_EQ(domain_of(2, 5), domain_id{2});
    EXPECT_NE(domain_of(1, 0), domain_of(2, 0)); // processes
}

} // namespace
