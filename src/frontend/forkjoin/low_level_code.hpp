// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/task_header.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The execute() of a skerry::task, which is the code that it is known by; 0: it is another task.
// Thread safety: the executor, before it runs the task.
[[nodiscard]] std::uintptr_t low_level_code(const task_header& header) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
