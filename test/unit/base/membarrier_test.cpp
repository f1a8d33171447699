// SPDX-License-Identifier: Apache-2.0
#include "base/port/membarrier.hpp"

#include <cerrno>
#include <cstddef>
#include <iterator>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.hpp"

namespace {

using namespace skerry::port;
using skerry_test::run_in_child;

// Makes membarrier fail with `error` for the rest of the process's life, as container runtimes do.
bool refuse_membarrier(unsigned error) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

bool kernel_has_membarrier() {
    const long commands = ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

constexpr int no_filter = 77;

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
