// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slow ways out of a fork, compiled into the library but for attend_keeping_registers(). `page` is always the
// calling thread's current page.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/worker_page.hpp>
#include <skerry/detail/sync/latch.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What became of a push that asked for attention.
enum class attended : std::uint8_t {
    pushed,
    no_room, // there was no memory to grow the deque; the push is undone and the caller runs the task itself, in order
    cancelled, // the caller takes the task back, by withdraw() or where it waits, and begins nothing more: a group
               // around was asked to stop
};

// Answers a push that asked for it.
[[nodiscard, gnu::__cold__]] SKERRY_EXPORT attended attend(worker_page& page) noexcept;

// attend() where it is seldom wanted. Clang's callers need keep no registers for it: the call itself does, if there is
// one. Hidden: the dynamic linker would change one of those registers when it binds the name late. No symbol of this
// name may come from a compiler without that convention; before 19 Clang is not known to keep the result through it.
#if defined(__clang__) && __clang_major__ >= 19 && (defined(__x86_64__) || defined(__aarch64__))
[[nodiscard, gnu::__noinline__, gnu::__cold__, gnu::__visibility__("hidden"), clang::preserve_most]] inline attended
attend_keeping_registers(worker_page& page) noexcept {
    return attend(page);
}
#else
[[nodiscard, gnu::__always_inline__]] inline attended attend_keeping_registers(worker_page& page) noexcept {
    return attend(page);
}
#endif

// After a pop that was not certain. True: the task is the caller's to run. False: a thief ran it, and it is done.
// Runs newer tasks of the caller and tasks of the thief meanwhile, nothing else.
// Errors: skerry::cancelled: the task has not begun, and is not to: a group around was asked to stop.
[[nodiscard, gnu::__cold__]] SKERRY_EXPORT bool settle_or_wait(worker_page& page, task_header& task);

// Takes the newest task, which is `task`, off: after the branch beside it has thrown, or for the caller to run. True:
// it has not begun, and is the caller's. False: a thief ran it, and it is done.
[[nodiscard, gnu::__cold__]] SKERRY_EXPORT bool withdraw(task_header& task) noexcept;

// The end of a task that a thief runs. `task` may be gone when this returns.
SKERRY_EXPORT void finish_stolen(task_header& task) noexcept;

// Tells whoever waits on the latch that a task of it has ended, or gives `n` of its counts back. The latch may be gone
// when this returns.
SKERRY_EXPORT void arrive(latch<machine>& pending, std::size_t n = 1) noexcept;

// The end of a task that the calling worker runs, on the latch of the task's context: the worker keeps the count, or
// the latch may be gone when this returns.
SKERRY_EXPORT void count_end(latch<machine>& covering) noexcept;

// A slot of the default runtime for the calling thread, for as long as this lives. Precondition: current_page is null.
class SKERRY_EXPORT region_guard {
  public:
    // Errors: std::system_error, std::bad_alloc: the default runtime cannot be started, or has no free slot.
    region_guard();
    region_guard(const region_guard&) = delete;
    region_guard& operator=(const region_guard&) = delete;
    ~region_guard();
};

} // namespace skerry::inline SKERRY_ABI::detail
