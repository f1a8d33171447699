// SPDX-License-Identifier: Apache-2.0
#pragma once

// Determinism rests on one rule: what a task accesses lies within what its parent accesses. Debug builds hold programs
// against it. What lies on the stack of the thread that spawns is the parent's own; no bytes are nobody's; a parent
// without accesses is a bracket around its children and is not held against anything.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

#ifdef NDEBUG
inline constexpr bool containment_is_checked = false;
#else
inline constexpr bool containment_is_checked = true;
#endif

// Errors: std::logic_error names both tasks and the access.
void check_containment(const task_context& parent, const dependent_task& child);

} // namespace skerry::inline SKERRY_ABI::detail
