// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread on a stack of our own with a guard below it, so that an overflow is reported as one.
//
// The first start() in the process installs a handler for SIGSEGV and SIGBUS. A fault in the guard of a thread of ours
// prints
//     skerry: stack overflow in worker 3 (stack of 8192 KiB); raise options::stack_size or SKERRY_STACK_SIZE
// and aborts; every other fault goes to the handler that was there before, or to the default action. A handler that the
// program installs later and that does not chain turns the report off, nothing else. A frame larger than the guard
// (64 KiB) may jump over it.
//
// Thread safety: one object belongs to one thread at a time; different objects are independent.

#include <cstddef>
#include <cstdint>
#include <optional>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

struct thread_record;

// Who hears a thread's name: the overflow report alone, or the system too (its first 15 characters). The system is told
// by prctl, a call for which a strict sandbox may end the process.
enum class name_for : bool { report, system };

class thread {
  public:
    thread() noexcept = default;
    thread(thread&& other) noexcept : record_(other.record_) { other.record_ = nullptr; }
    thread& operator=(thread&& other) noexcept;
    // Precondition: not joinable().
    ~thread();

    // Runs fn(arg) on a new thread with at least stack_size bytes of stack (rounded up to pages; never less than
    // 128 KiB; thread-local storage comes on top). `name` is copied: its first 31 characters stand in the overflow
    // report. With `cpu`, the thread may run on that logical CPU only.
    // The signal mask is inherited. Preconditions: not joinable(); fn does not throw. Errors: std::system_error whose
    // text names the cause and the option to change (EAGAIN: too many threads; ENOMEM: no memory for the stack; EINVAL:
    // this process may not use that CPU). The object stays as it was.
    void start(std::size_t stack_size, const char* name, void (*fn)(void*), void* arg,
               std::optional<unsigned> cpu = std::nullopt, name_for told = name_for::system);

    // Waits until fn has returned, then frees the stack. Precondition: joinable(), and not called by that thread.
    void join() noexcept;

    // Frees the stack without waiting. Only in a child after fork(), where the thread does not exist.
    // Precondition: the calling thread does not run on that stack.
    void forget() noexcept;

    bool joinable() const noexcept { return record_ != nullptr; }

  private:
    thread_record* record_ = nullptr; // lies above the thread's stack, in the same mapping
};

// Tells the threads apart that exist at one time.
const void* this_thread() noexcept;

// Whether the address lies on the calling thread's stack. False if the system cannot tell.
bool on_this_stack(std::uintptr_t address) noexcept;

// Sleeps that long. Any thread.
void sleep_ns(std::uint64_t ns) noexcept;

// Asks that the calling thread run soon when it wakes, since it never runs for long: a short slice, where the system
// has them (Linux 6.12). Elsewhere nothing happens.
void run_promptly() noexcept;

// Lets another thread have the core. Any thread.
void yield() noexcept;

} // namespace skerry::inline SKERRY_ABI::port
