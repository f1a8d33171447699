// SPDX-License-Identifier: Apache-2.0
#pragma once

// What another thread of this process does, as far as the system tells. Thread safety: any thread.

#include <array>
#include <cstdint>
#include <optional>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct thread_call {
    bool running = true; // in no call of the system in which it sleeps; the rest is nothing then
    long number = -1;    // of the call
    std::array<unsigned long, 6> arguments{};
    std::uintptr_t stack = 0; // the stack pointer at the call
    std::uintptr_t code = 0;  // behind the call

    friend bool operator==(const thread_call&, const thread_call&) = default;

    // Whether the call goes on where it was if a signal has been handled meanwhile, and nobody notices.
    [[nodiscard]] bool may_be_interrupted() const noexcept;
};

// Nothing: the thread has ended, or the system does not tell. A few system calls.
std::optional<thread_call> call_of_thread(std::uint32_t thread) noexcept;

// How often the thread has gone to sleep so far; 0 if the system does not tell.
std::uint64_t sleeps_of_thread(std::uint32_t thread) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
