// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which guard lies below the stack that the calling thread is on, and the fault handler that reads it. For thread.cpp,
// overflow_scope.cpp and fiber.cpp.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Constant while a thread points at it.
struct stack_guard {
    const char* begin = nullptr;
    const char* end = nullptr;
    std::size_t stack_size = 0; // without thread-local storage: what the option says
    const char* name = nullptr;
    const char* remedy = "raise options::stack_size or SKERRY_STACK_SIZE";
};

// Declares the calling thread's guard; null takes it back. Precondition: *guard outlives the declaration.
void set_stack_guard(const stack_guard* guard) noexcept;

// Where that is declared: the calling thread's own variable.
const stack_guard*& declared_stack_guard() noexcept;

// Installs the handler, once per process; later calls return at once. Any thread.
void install_overflow_handler() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
