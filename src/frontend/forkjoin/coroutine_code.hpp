// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/task_header.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The function of the coroutine that a task resumes, which is the code that it is known by; 0: it is another task.
// Thread safety: the executor, before it runs the task.
[[nodiscard]] std::uintptr_t coroutine_code(const task_header& task) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
