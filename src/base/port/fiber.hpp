// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stacks that a thread leaves and comes back to: each function on one of them keeps its calls, and the exceptions that
// it handles or that are on their way through it (the two counts that the C++ library has for each thread).
//
// Thread safety: one thread at a time.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

#include "base/port/stack_guard.hpp"

namespace skerry::inline SKERRY_ABI::port {

class fiber {
  public:
    // The stack of the calling thread.
    fiber() noexcept = default;
    // One of `bytes`, above a guard (stack_guard.hpp). `name`, `remedy`: of messages, literals. Errors: std::bad_alloc.
    fiber(std::size_t bytes, const char* name, const char* remedy);
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    // Precondition: nothing runs there.
    ~fiber();

    // Who goes there next calls `f`, which ends by end_at(). Precondition: it has a stack, and nothing runs there.
    void begin(void (*f)(void*) noexcept, void* argument) noexcept;
    // From here to there, until somebody comes back. Precondition: the calling thread is here.
    void go_to(fiber& there) noexcept { switch_to(there, false); }
    // The same, for good: nothing runs here any more.
    [[noreturn]] void end_at(fiber& there) noexcept;

  private:
    struct entry; // of the library that switches

    void switch_to(fiber& there, bool for_good) noexcept;

    void* context_ = nullptr; // where it goes on
    void (*function_)(void*) noexcept = nullptr;
    void* argument_ = nullptr;
    struct {
        void* caught = nullptr;
        unsigned uncaught = 0;
    } exceptions_;
    char* mapping_ = nullptr; // null: a thread's own stack
    std::size_t mapped_ = 0;
    stack_guard own_guard_;
    const stack_guard* guard_ = nullptr; // that of the thread, or &own_guard_
    // For sanitizers.
    const void* low_ = nullptr;
    std::size_t size_ = 0;
    void* fake_ = nullptr;
    void* watched_ = nullptr;
};

} // namespace skerry::inline SKERRY_ABI::port
