// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task that writes what it declared in() breaks the order of the tasks beside it. Debug builds look at the bytes
// before and after its function; the copies of a process that a task crossed to are closed to writing besides
// (undeclared.hpp), which names the very instruction.

#include <cstdint>
#include <optional>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

#ifdef NDEBUG
inline constexpr bool inputs_are_checked = false;
#else
inline constexpr bool inputs_are_checked = true;
#endif

// Sums of what a task may only read. Of a long range a part is looked at, spread evenly.
class input_sums {
  public:
    // Errors: std::bad_alloc.
    explicit input_sums(const dependent_task& task);
    // Errors: std::logic_error names the task and the first access whose bytes are others now; std::bad_alloc.
    void compare(const dependent_task& task) const;

  private:
    std::vector<std::optional<std::uint64_t>> sums_; // one for each access; none of what is not looked at
};

// Calls the task's function. Errors: what that throws; as compare().
inline void call_checked(dependent_task& task) {
    if constexpr (inputs_are_checked) {
        const input_sums before(task);
        task.type.call(task);
        before.compare(task);
    } else {
        task.type.call(task);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
