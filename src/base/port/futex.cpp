// SPDX-License-Identifier: Apache-2.0
#include "base/port/futex.hpp"

#include <cerrno>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace skerry::inline SKERRY_ABI::port {

namespace {

bool wait(const void* word32, int operation, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    timespec limit{};
    limit.tv_sec = static_cast<std::time_t>(timeout_ns / second);
    limit.tv_nsec = static_cast<long>(timeout_ns % second);
    const timespec* const deadline = timeout_ns == forever ? nullptr : &limit;
    const int saved = errno;
    const long result = ::syscall(SYS_futex, word32, operation, expected, deadline, nullptr, 0);
    const bool timed_out = result != 0 && errno == ETIMEDOUT;
    errno = saved;
    return !timed_out;
}

void wake(const void* word32, int operation, int count) noexcept {
    const int saved = errno;
    ::syscall(SYS_futex, word32, operation, count, nullptr, nullptr, 0);
    errno = saved;
}

} // namespace

bool futex_wait(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    return wait(word32, FUTEX_WAIT_PRIVATE, expected, timeout_ns);
}

void futex_wake(const void* word32, int count) noexcept { wake(word32, FUTEX_WAKE_PRIVATE, count); }

bool futex_wait_shared(const void* word32, std::uint32_t expected, std::uint64_t timeout_ns) noexcept {
    return wait(word32, FUTEX_WAIT, expected, timeout_ns);
}

void futex_wake_shared(const void* word32, int count) noexcept { wake(word32, FUTEX_WAKE, count); }

} // namespace skerry::inline SKERRY_ABI::port
