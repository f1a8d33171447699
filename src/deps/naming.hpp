// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a dataflow task is called, in traces and in what is said when a process has died. Thread safety: any thread, as
// long as the task has not ended.

#include <cstdint>
#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>
#include <skerry/detail/trace/events.hpp>
#include <skerry/detail/trace/names.hpp>
#include <skerry/detail/trace/writer.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a trace notes of it.
struct naming {
    std::uint64_t address;
    task_naming kind;
};

inline naming naming_of(const dependent_task& task) noexcept {
    if (task.name != nullptr) {
        return {trace_id(task.name), task_naming::text};
    }
    if (task.type.code != nullptr) {
        return {trace_id(task.type.code(task)), task_naming::code};
    }
    return {trace_id(task.type.words), task_naming::type};
}

// As a trace shows it. Errors: std::bad_alloc.
inline std::string name_of(const dependent_task& task) {
    const naming n = naming_of(task);
    if (n.kind == task_naming::code) {
        return name_of_code(n.address);
    }
    const auto* const literal = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(n.address));
    return n.kind == task_naming::text ? literal : name_of_type(literal);
}

} // namespace skerry::inline SKERRY_ABI::detail
