// SPDX-License-Identifier: Apache-2.0
#include "reach.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "child.hpp"

namespace skerry_test {

// By the system's own calls, not by port::read_peer: if that were broken, what asks here must fail and not be skipped.
bool processes_reach_each_other() {
    static char byte = 1;
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(::getppid()), 0UL, 0UL, 0UL); // the child descends from it too
    const pid_t parent = ::getpid();
    const auto end = run_in_child([parent] {
        char found = 0;
        const iovec here{&found, 1};
        const iovec there{&byte, 1};
        return ::process_vm_readv(parent, &here, 1, &there, 1, 0) == 1 &&
                       ::process_vm_writev(parent, &here, 1, &there, 1, 0) == 1
                   ? 0
                   : 1;
    });
    return end.exited && end.code == 0;
}

} // namespace skerry_test
