// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/task_header.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What leaves are called that are compiled into the library for all loops: a task that runs some of them has the name
// of the loop, or of loops without one. Null: it is another task. Thread safety: the executor, before it runs the task.
[[nodiscard]] const char* name_of_leaves(const task_header& task) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
