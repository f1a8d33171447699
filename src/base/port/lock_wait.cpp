// SPDX-License-Identifier: Apache-2.0
#include "base/port/lock_wait.hpp"

#include <cstddef>

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/port/peer_memory.hpp"
#include "base/port/process.hpp"
#include "base/port/thread_call.hpp"
#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

#ifdef __GLIBC__

constexpr std::size_t owner_at = offsetof(pthread_mutex_t, __data.__owner);
constexpr unsigned contended = 2; // what a waiter of a mutex leaves in its word, and waits to see changed

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
    const std::optional<thread_call> call = call_of_thread(thread);
    if (!call || call->number != SYS_futex) {
        return std::nullopt;
    }
    const std::uint64_t at = call->arguments[0];
    const unsigned long operation = call->arguments[1] & static_cast<unsigned long>(FUTEX_CMD_MASK);
    std::uint32_t word = 0;
    std::uint32_t holder = 0;
    if (!read_word(at, word)) {
        return std::nullopt;
    }
    if (operation == FUTEX_LOCK_PI) { // of a mutex that hands priorities on: the word itself names the holder
        holder = word & FUTEX_TID_MASK;
    } else if ((operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET) || call->arguments[2] != contended ||
               word != contended || !read_word(at + owner_at, holder)) {
        // Others sleep on words, too: on conditions, on our own. This one has a mutex's value and a thread for an
        // owner.
        return std::nullopt;
    }
    detail::fixed_text<64> path;
    path << "/proc/self/task/" << holder;
    if (holder == 0 || ::access(path.c_str(), F_OK) != 0) {
        return std::nullopt;
    }
    return lock_wait{.lock = at, .holder = holder};
#else
    return std::nullopt;
#endif
}

} // namespace skerry::inline SKERRY_ABI::port
