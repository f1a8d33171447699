// SPDX-License-Identifier: Apache-2.0
#include "base/port/membarrier.hpp"

#include <cerrno>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

bool command(int what) noexcept {
    const int saved = errno;
    const bool ok = ::syscall(SYS_membarrier, what, 0, 0) == 0;
    errno = saved;
    return ok;
}

} // namespace

bool register_membarrier() noexcept { return command(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

bool heavy_barrier() noexcept { return command(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

} // namespace skerry::inline SKERRY_ABI::port
