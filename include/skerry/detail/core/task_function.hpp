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

// What it returns; void for what cannot be a task: some compilers look at the types of a declaration before its
// constraints, and shall say nothing of them.
template <class F>
struct task_result_of {
    using type = void;
};
template <storable_task_function F>
struct task_result_of<F> {
    using type = std::invoke_result_t<std::decay_t<F>&>;
};
template <class F>
using task_result = typename task_result_of<F>::type;

// What makes one T of two.
template <class Op, class T>
concept combines = std::convertible_to<std::invoke_result_t<Op&, T, const T&>, T>;

} // namespace skerry::inline SKERRY_ABI::detail
