// SPDX-License-Identifier: Apache-2.0
#include "base/port/membarrier.hpp"

#include <cerrno>

#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.hpp"
#include "seccomp.hpp"

namespace {

using namespace skerry::port;
using skerry_test::no_filter;
using skerry_test::refuse_membarrier;
using skerry_test::run_in_child;

bool kernel_has_membarrier() {
    const long commands = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

TEST(membarrier, works_where_the_kernel_has_it) {
    const auto child = run_in_child([] {
        const bool expected = kernel_has_membarrier();
        const bool first = register_membarrier();
        const bool again = register_membarrier();
        return first == expected && again == expected && heavy_barrier() == expected ? 0 : 1;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

TEST(membarrier, barrier_needs_registration) {
    const auto child = run_in_child([] { return heavy_barrier() ? 1 : 0; });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

TEST(membarrier, child_inherits_registration) {
    const auto child = run_in_child([] {
        const bool registered = register_membarrier();
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::_exit(heavy_barrier() == registered ? 0 : 1);
        }
        return skerry_test::wait_for(pid);
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

class membarrier_refused : public testing::TestWithParam<unsigned> {};

TEST_P(membarrier_refused, is_reported) {
    const auto child = run_in_child([] {
        if (!refuse_membarrier(GetParam())) {
            return no_filter;
        }
        errno = EXDEV;
        return !register_membarrier() && !heavy_barrier() && errno == EXDEV ? 0 : 1;
    });
    if (child.exited && child.code == no_filter) {
        GTEST_SKIP() << "this kernel forbids seccomp filters here";
    }
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
}

INSTANTIATE_TEST_SUITE_P(seccomp, membarrier_refused, testing::Values(EPERM, ENOSYS));

} // namespace
