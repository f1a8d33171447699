// SPDX-License-Identifier: Apache-2.0
#include "base/port/peer_memory.hpp"

#include <algorithm>
#include <array>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

// The system call itself: AddressSanitizer would look at what the library's function is given, and slabs that are moved
// whole have blocks in which nothing lies.
std::size_t copy(long call, std::uint32_t process, std::span<const peer_range> ranges) noexcept {
    std::array<iovec, most_peer_ranges> here;
    std::array<iovec, most_peer_ranges> there;
    const std::size_t n = std::min(ranges.size(), most_peer_ranges);
    for (std::size_t i = 0; i < n; ++i) {
        here[i] = {ranges[i].here, ranges[i].bytes};
        there[i] = {reinterpret_cast<void*>(ranges[i].there), ranges[i].bytes};
    }
    const long copied = ::syscall(call, static_cast<pid_t>(process), here.data(), n, there.data(), n, 0UL);
    return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

} // namespace

std::size_t read_peer(std::uint32_t process, std::span<const peer_range> ranges) noexcept {
    return copy(SYS_process_vm_readv, process, ranges);
}

std::size_t write_peer(std::uint32_t process, std::span<const peer_range> ranges) noexcept {
    return copy(SYS_process_vm_writev, process, ranges);
}

void admit_siblings() noexcept {
    ::prctl(PR_SET_PTRACER, static_cast<unsigned long>(::getppid()), 0UL, 0UL, 0UL); // unknown to a kernel without Yama
}

} // namespace skerry::inline SKERRY_ABI::port
