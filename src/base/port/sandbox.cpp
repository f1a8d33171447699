// SPDX-License-Identifier: Apache-2.0
#include "base/port/sandbox.hpp"

#include <cerrno>
#include <new>
#include <string>

#include <linux/membarrier.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/port/file.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

bool has_filter() {
    const auto status = read_small_file("/proc/self/status");
    return status && status->find("\nSeccomp:\t2") != std::string::npos;
}

[[noreturn]] void try_rare_calls() noexcept {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    ::syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    char name[16];
    ::syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
    ::_exit(0);
}

// In a copy of this process that tells nobody of its end: no handler of SIGCHLD runs, and no wait() finds it.
bool ends_a_child() noexcept {
    const long child = ::syscall(SYS_clone, 0, 0, 0, 0, 0);
    if (child == 0) {
        try_rare_calls();
    }
    if (child < 0) {
        return true;
    }
    int status = 0;
    while (::waitpid(static_cast<pid_t>(child), &status, __WALL) < 0) {
        if (errno != EINTR) {
            return true;
        }
    }
    return !WIFEXITED(status);
}

} // namespace

bool ends_at_rare_calls() noexcept {
    const int saved = errno;
    bool filtered = true;
    try {
        filtered = has_filter();
    } catch (const std::bad_alloc&) { // then a child finds out
    }
    const bool result = filtered && ends_a_child();
    errno = saved;
    return result;
}

} // namespace skerry::inline SKERRY_ABI::port
