// SPDX-License-Identifier: Apache-2.0
#pragma once

// System calls that the kernel refuses to this process for the rest of its life, as container runtimes and sandboxes
// have it: for a child of run_in_child.

#include <cstddef>
#include <vector>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skerry_test {

// Exit code of a child in which no filter can be installed: what it should have shown is skipped.
inline constexpr int no_filter = 77;

// What becomes of a call: SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | error, SECCOMP_RET_KILL_PROCESS. Of every thread of
// the process. False where the kernel forbids filters. Precondition: no thread has a filter that the others have not.
[[nodiscard]] inline bool filter_calls(const std::vector<long>& calls, unsigned to_these, unsigned to_others) {
    std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const long call : calls) {
        program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
        program.push_back(BPF_STMT(BPF_RET | BPF_K, to_these));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, to_others));
    const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

[[nodiscard]] inline bool refuse_membarrier(unsigned error) {
    return filter_calls({SYS_membarrier}, SECCOMP_RET_ERRNO | error, SECCOMP_RET_ALLOW);
}

} // namespace skerry_test
