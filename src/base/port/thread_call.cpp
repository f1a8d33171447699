// SPDX-License-Identifier: Apache-2.0
#include "base/port/thread_call.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"

namespace skerry::inline SKERRY_ABI::port {

namespace {

// What a file about a thread says, as a string; false: nothing.
bool read_about(std::uint32_t thread, const char* what, std::span<char> to) noexcept {
    detail::fixed_text<64> path;
    path << "/proc/self/task/" << thread << '/' << what;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t size = ::read(file, to.data(), to.size() - 1);
    ::close(file);
    if (size > 0) {
        to[static_cast<std::size_t>(size)] = 0;
    }
    return size > 0;
}

} // namespace

bool thread_call::may_be_interrupted() const noexcept {
    if (running) {
        return true;
    }
    // Other calls end with EINTR, which programs need not expect; a futex without a time does not (signal(7)).
    const unsigned long operation = arguments[1] & static_cast<unsigned long>(FUTEX_CMD_MASK);
    return number == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && arguments[3] == 0;
}

std::optional<thread_call> call_of_thread(std::uint32_t thread) noexcept {
    std::array<char, 256> text{};
    if (!read_about(thread, "syscall", text)) {
        return std::nullopt;
    }
    thread_call call;
    if (std::strncmp(text.data(), "running", 7) == 0) {
        return call;
    }
    call.running = false;
    auto& a = call.arguments;
    if (std::sscanf(text.data(), "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &call.number, &a[0], &a[1], &a[2], &a[3], &a[4],
                    &a[5], &call.stack, &call.code) == 9) {
        return call;
    }
    if (std::sscanf(text.data(), "%ld %lx %lx", &call.number, &call.stack, &call.code) == 3) {
        a = {};
        return call; // asleep, and in no call: for a page
    }
    return std::nullopt;
}

std::uint64_t sleeps_of_thread(std::uint32_t thread) noexcept {
    std::array<char, 4096> text{};
    if (!read_about(thread, "status", text)) {
        return 0;
    }
    constexpr const char* name = "\nvoluntary_ctxt_switches:";
    const char* const found = std::strstr(text.data(), name);
    return found != nullptr ? std::strtoull(found + std::strlen(name), nullptr, 10) : 0;
}

} // namespace skerry::inline SKERRY_ABI::port
