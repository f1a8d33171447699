// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a dataflow task is called, in traces and in what is said when a process has died. Thread safety: any thread, as
// long as the task has not ended.

#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>
#include <skerry/detail/trace/writer.hpp>

#include "base/printable.hpp"
#include "trace/naming.hpp"

namespace skerry::inline SKERRY_ABI::detail {

inline naming naming_of(const dependent_task& task) noexcept {
    if (task.name != nullptr && *task.name != '\0') {
        return {trace_id(task.name), task_naming::text};
    }
    if (task.type.given != nullptr) {
        return {trace_id(task.type.given), task_naming::text};
    }
    if (task.type.code != nullptr) {
        return {trace_id(task.type.code(task)), task_naming::code};
    }
    return {trace_id(task.type.words), task_naming::type};
}

// For a message. Errors: std::bad_alloc.
inline std::string name_of(const dependent_task& task) { return printable(name_of(naming_of(task))); }

} // namespace skerry::inline SKERRY_ABI::detail
