// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// As execute_spawned(), for a task that another process has run; `error`: the text of its exception, or null.
void end_away(dependent_task& task, const std::string* error) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
