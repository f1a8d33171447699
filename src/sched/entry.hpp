// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the constructs above need of a runtime; defined in src/runtime, where engines are known.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/loose_task.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class team;

// The team that the calling thread's next task goes to. Errors: the default runtime cannot be started.
[[nodiscard]] team& current_team();

// The calling thread takes a slot of the default runtime until leave_team().
// Errors: std::system_error, std::bad_alloc.
void enter_default_team();
void leave_team() noexcept;

// As begin_task(), for a task that belongs to `home` whoever calls.
void begin_task_in(team& home, loose_task& task);
// As begin_task(), for a task that somebody in `home` waits for, by a thread that is of another team.
void hand_over(team& home, loose_task& task) noexcept;

// A slot of the team for the calling thread, for as long as this lives. It may hold one of another team meanwhile.
class team_entry {
  public:
    // Errors: std::system_error (all slots are taken), std::bad_alloc.
    explicit team_entry(team& home);
    team_entry(const team_entry&) = delete;
    team_entry& operator=(const team_entry&) = delete;
    ~team_entry();
};

} // namespace skerry::inline SKERRY_ABI::detail
