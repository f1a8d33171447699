// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/sync/join_word.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A fork does not store its context. It says how deep the contexts of its worker are nested, in the bits of a word that
// no address of a program has (Linux gives none above 2^48 unasked), and a thief asks the worker which context that is.
inline constexpr unsigned nesting_shift = 48;
static_assert(sizeof(std::uintptr_t) == 8);

// What every task begins with, whatever model it comes from. A fork writes the first field, others the first two; the
// thief that takes the task writes the rest, under the gate of the deque it takes it from, and one that only looks at a
// fork its context.
struct task_header {
    // Runs the task to its end and tells whoever waits. The task may be gone when it returns. Of a task that was forked
    // and not found by a thief, with its nesting.
    void (*run)(task_header*) noexcept;
    const context* ctx;

    join_word<machine> joined;
    // Where the task lay in its owner's deque.
    std::size_t index;
    // How deep the executor's deque was when it began the task: what lies above descends from the task.
    std::size_t base;

    // Fields stay unwritten on purpose.
    task_header(void (*r)(task_header*) noexcept, const context* c) noexcept : run(r), ctx(c) {}
    // Of a fork: `nesting` of its worker's page.
    task_header(void (*r)(task_header*) noexcept, std::uintptr_t nesting) noexcept
        : run(reinterpret_cast<void (*)(task_header*) noexcept>(reinterpret_cast<std::uintptr_t>(r) | nesting)) {}
    task_header(const task_header&) = delete;
    task_header& operator=(const task_header&) = delete;

    // 0: the context is here. For whoever is behind the door of the deque that the task lies in, as is inherit().
    [[nodiscard]] std::uintptr_t nesting() const noexcept {
        return reinterpret_cast<std::uintptr_t>(run) >> nesting_shift;
    }
    void inherit(const context* c) noexcept {
        constexpr std::uintptr_t address = (std::uintptr_t{1} << nesting_shift) - 1;
        run = reinterpret_cast<void (*)(task_header*) noexcept>(reinterpret_cast<std::uintptr_t>(run) & address);
        ctx = c;
    }

  protected:
    ~task_header() = default;
};

static_assert(std::is_standard_layout_v<task_header> && sizeof(task_header) == 5 * sizeof(void*));
static_assert(offsetof(task_header, run) == 0 && offsetof(task_header, ctx) == sizeof(void*));
static_assert(offsetof(task_header, joined) == 2 * sizeof(void*));

} // namespace skerry::inline SKERRY_ABI::detail
