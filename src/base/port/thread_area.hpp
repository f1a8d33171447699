// SPDX-License-Identifier: Apache-2.0
#pragma once

// Thread-local storage for stacks that are switched by hand: a second copy of everything that the thread pointer leads
// to, so that code on another stack of the same thread has thread-local variables of its own, natively and at an
// address that the caller chooses.
//
// A copy holds the program's own variables as a new thread would find them, and those of the C and C++ libraries as
// the copying thread has them. What a library reaches through its table of dynamic blocks, and the thread's identity,
// stay the copying thread's: it is still one thread for the system.
//
// Thread safety: any thread; a copy is used by the thread that made it. x86-64 with glibc.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct thread_area_size {
    std::size_t below = 0; // bytes before the address that the thread pointer holds
    std::size_t above = 0; // bytes from there on
};

// What a copy of the calling thread's area needs.
thread_area_size measure_thread_area();

// Makes the copy around `pointer`. Preconditions: `pointer` is a multiple of 4096, and so many bytes as
// measure_thread_area() says are writable and zero on both sides.
void copy_thread_area(void* pointer);

// Where a copy has the variable that the calling thread has at `variable`. Precondition: a thread-local variable of
// the program itself.
void* in_thread_area(void* pointer, const void* variable) noexcept;

// Declares the calling thread's stack guard (stack_guard.hpp) in a copy as well.
void share_stack_guard(void* pointer) noexcept;

// Whether the instruction exists; without it the switch is a system call.
extern const bool fast_thread_pointer;
void set_thread_pointer_slowly(void* pointer) noexcept;

inline void* thread_pointer() noexcept {
    void* pointer = nullptr;
    asm volatile("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

// From here on the calling thread's variables are those around `pointer`.
inline void set_thread_pointer(void* pointer) noexcept {
    if (__builtin_expect(fast_thread_pointer, 1)) {
        asm volatile("wrfsbase %0" ::"r"(pointer) : "memory");
    } else {
        set_thread_pointer_slowly(pointer);
    }
}

} // namespace skerry::inline SKERRY_ABI::port
