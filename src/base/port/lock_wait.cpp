// SPDX-License-Identifier: Apache-2.0
#include "base/port/lock_wait.hpp"

#include <array>
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

#ifdef __GLIBC__

constexpr std::size_t owner_at = offsetof(pthread_mutex_t, __data.__owner);
constexpr unsigned contended = 2; // what a waiter of a mutex leaves in its word, and waits to see changed

struct system_call {
    long number = -1;
    unsigned long first = 0;
    unsigned long second = 0;
    unsigned long third = 0;
};

// The system call in which the thread sleeps.
std::optional<system_call> call_of(std::uint32_t thread) noexcept {
    detail::fixed_text<64> path;
    path << "/proc/self/task/" << thread << "/syscall";
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return std::nullopt;
    }
    std::array<char, 256> text{};
    const ssize_t size = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    system_call call;
    if (size <= 0 ||
        std::sscanf(text.data(), "%ld %lx %lx %lx", &call.number, &call.first, &call.second, &call.third) != 4) {
        return std::nullopt;
    }
    return call;
}

// Of what may not be there any more.
bool read_word(std::uint64_t at, std::uint32_t& to) noexcept {
    const peer_range range{.here = &to, .there = at, .bytes = sizeof to};
    return read_peer(process_id(), {&range, 1}) == sizeof to;
}

#endif

} // namespace

std::uint32_t thread_number() noexcept { return static_cast<std::uint32_t>(::syscall(SYS_gettid)); }

std::optional<lock_wait> lock_wait_of(std::uint32_t thread) noexcept {
#ifdef __GLIBC__
    const std::optional<system_call> call = call_of(thread);
    if (!call || call->number != SYS_futex) {
        return std::nullopt;
    }
    const unsigned long operation = call->second & static_cast<unsigned long>(FUTEX_CMD_MASK);
    std::uint32_t word = 0;
    std::uint32_t holder = 0;
    if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) {
        return std::nullopt;
    }
    // Others sleep on words, too: on conditions, on our own. This one has a mutex's value and a thread for an owner.
    if (call->third != contended || !read_word(call->first, word) || word != contended ||
        !read_word(call->first + owner_at, holder)) {
        return std::nullopt;
    }
    detail::fixed_text<64> path;
    path << "/proc/self/task/" << holder;
    if (holder == 0 || ::access(path.c_str(), F_OK) != 0) {
        return std::nullopt;
    }
    return lock_wait{.lock = call->first, .holder = holder};
#else
    return std::nullopt;
#endif
}

} // namespace skerry::inline SKERRY_ABI::port
