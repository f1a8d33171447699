// SPDX-License-Identifier: Apache-2.0
#pragma once

// How tasks begin that no branch of a fork waits for. Defined in src/runtime, where the default runtime is known.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/loose_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Pushes a task that lives until it has run; from a thread without a slot it goes to the default runtime's queue.
// Precondition: task.ctx is set, and the task is counted where it is waited for.
// Errors: std::bad_alloc, std::system_error (no thread can be started to run it); the task has not begun.
SKERRY_EXPORT void begin_task(loose_task& task);

// The same for a task whose spawn stands in the trace already. Precondition: the caller holds a slot.
// Errors: std::bad_alloc; the task has not begun.
void push_task(loose_task& task);

// The context of the running task, or of the default runtime's root.
// Errors: std::system_error, std::bad_alloc: the default runtime cannot be started.
[[nodiscard]] SKERRY_EXPORT const context& current_context();

} // namespace skerry::inline SKERRY_ABI::detail
