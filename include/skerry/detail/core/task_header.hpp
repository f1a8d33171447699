// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/port/store_pair.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/sync/join_word.hpp>
#include <skerry/detail/sync/machine.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What every task begins with, whatever model it comes from. A fork writes the first two fields; the thief that takes
// the task writes the rest, under the gate of the deque it takes it from.
struct task_header {
    // Runs the task to its end and tells whoever waits. The task may be gone when it returns.
    void (*run)(task_header*) noexcept;
    const context* ctx;

    join_word<machine> joined;
    // Where the task lay in its owner's deque.
    std::size_t index;
    // How deep the executor's deque was when it began the task: what lies above descends from the task.
    std::size_t base;

    // Fields stay unwritten on purpose.
    task_header(void (*r)(task_header*) noexcept, const context* c) noexcept : run(r), ctx(c) {}
    // AtOnce: by one instruction where there is one.
    template <bool AtOnce>
    task_header(void (*r)(task_header*) noexcept, const context* c, std::bool_constant<AtOnce> /*at_once*/) noexcept {
        if constexpr (AtOnce && has_store_pair) {
            store_pair(this, reinterpret_cast<std::uintptr_t>(r), reinterpret_cast<std::uintptr_t>(c));
        } else {
            run = r;
            ctx = c;
        }
    }
    task_header(const task_header&) = delete;
    task_header& operator=(const task_header&) = delete;

  protected:
    ~task_header() = default;
};

static_assert(std::is_standard_layout_v<task_header> && sizeof(task_header) == 5 * sizeof(void*));
static_assert(offsetof(task_header, run) == 0 && offsetof(task_header, ctx) == sizeof(void*)); // what a fork writes
static_assert(offsetof(task_header, joined) == 2 * sizeof(void*));

} // namespace skerry::inline SKERRY_ABI::detail
