// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/events.hpp>
#include <skerry/detail/trace/names.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What a trace notes of a task's name.
struct naming {
    std::uint64_t address;
    task_naming kind;
};

// As a trace shows it. Errors: std::bad_alloc. Thread safety: any thread.
inline std::string name_of(const naming& n) {
    if (n.kind == task_naming::code) {
        return name_of_code(n.address);
    }
    const auto* const literal = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(n.address));
    return n.kind == task_naming::text ? literal : name_of_type(literal);
}

} // namespace skerry::inline SKERRY_ABI::detail
