// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tasks are called in a trace: a table of the whole process from the code that a task runs to a name.
//
// Thread safety: any thread.

#include <mutex>
#include <string>
#include <string_view>

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// From now on tasks that run `code` (trace_id of task_header::run, or whatever stands in their events) are called so.
// The first name of a code stays. Takes a lock: once for each kind of task, not for each task.
// Errors: std::bad_alloc.
void name_code(std::uint64_t code, std::string_view name);

// The name; without one, what the loader or the module's file knows of the address: a function, or module+offset.
// Errors: std::bad_alloc.
std::string name_of_code(std::uint64_t code);

// What the compiler's words for a spawned task's type say of its function: "gemm_kernel" of "… [with F = gemm_kernel; K
// = …]" (GCC) or "… [F = gemm_kernel, K = …]" (Clang); other words as they are. Errors: std::bad_alloc.
std::string name_of_type(std::string_view words);

// Held across fork(), so that a child does not inherit the table locked.
std::mutex& code_names_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
