// SPDX-License-Identifier: Apache-2.0

// Compiled for assembly in Intel's syntax, which a program may want for its own; the headers have some, too.

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include <skerry/algorithm.hpp>
#include <skerry/parallel_invoke.hpp>
#include <skerry/runtime.hpp>

#include "../../consumer/mixed/sums.hpp"
#include "../until.hpp"
#include "workers.hpp"

namespace {

class IntelSyntax : public OnWorkers {};

TEST_P(IntelSyntax, BranchesAreCalled) {
    EXPECT_EQ(in([] { return mixed::by_value(15); }), 610);
    EXPECT_EQ(in([] { return mixed::by_reference(15); }), 610);
    EXPECT_EQ(in([] { return mixed::by_object(15).value(); }), 610);
}

TEST_P(IntelSyntax, LeavesAreCalledInRows) {
    std::atomic<int> sum = 0;
    in([&sum] {
        skerry::parallel_for(0, 200, [&sum](int i) { sum += i; }, skerry::grain::fixed(1));
        return 0;
    });
    EXPECT_EQ(sum, 19900);
}

ON_ALL_WORKERS(IntelSyntax);

TEST(IntelSyntaxStolen, ABranchIsFoundByItsThief) {
    skerry::runtime rt(OnWorkers::with(2));
    std::atomic<bool> begun = false;
    rt.run([&begun] { skerry::parallel_invoke([&begun] { until(begun); }, [&begun] { begun = true; }); });
    EXPECT_THROW(rt.run([&begun] {
        begun = false;
        skerry::parallel_invoke([&begun] { until(begun); },
                                [&begun] {
                                    begun = true;
                                    throw std::runtime_error("from a thief");
                                });
    }),
                 std::runtime_error);
}

} // namespace
