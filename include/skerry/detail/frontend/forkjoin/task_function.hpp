// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What can be a task: a callable without arguments.
template <class F>
concept task_function = std::invocable<std::remove_reference_t<F>&>;

// What can be a task that outlives the call that begins it: the callable is moved or copied into the task.
template <class F>
concept storable_task_function = std::constructible_from<std::decay_t<F>, F> && std::invocable<std::decay_t<F>&>;

} // namespace skerry::inline SKERRY_ABI::detail
