// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a request to stop is not the worker's that looks for it: the groups' part, and which teams there are.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class team;

// What may be asked to stop around a task that is begun under `c`, if the frame that covers the task is not inside of
// it; null: nothing is. It lives as long as `c`. Errors: std::bad_alloc.
[[nodiscard]] const stop_state* left_by(const context& c);

// A group that may outlive the context `c` in which it is made. Errors: std::bad_alloc.
void outlive(const context& group, const context& c);

// The two below where there is something to do.
bool renew(const context& group) noexcept;
void end(const context& group) noexcept;

// Makes the group as new, and says whether it was asked to stop. Precondition: all of its tasks have ended.
inline bool end_stop(const context& group) noexcept {
    const bool as_new = group.stop.load(memory_order::acquire) == stop_word::source;
    return (!as_new || stops_in_force.load(memory_order::acquire) != 0) && renew(group);
}
// The same at the end of the group's life.
inline void forget_stop(const context& group) noexcept {
    if (group.stop.load(memory_order::acquire) != stop_word::source) {
        end(group);
    }
}

// A search has a match, which `requests` says from now on, as stops_in_force does; nothing if it has had one.
void request_for_search(machine::atomic<std::uint32_t>& requests) noexcept;
// Such a search ends.
void end_search_request() noexcept;
// Lets the next push and the next pop of every worker look for requests that have been made.
void alert_all() noexcept;

// Gives a reference up.
void let_go(const stop_state* state) noexcept;

// While this lives, requests look at the team's workers, too.
class alert_scope {
  public:
    explicit alert_scope(team& t) noexcept;
    alert_scope(const alert_scope&) = delete;
    alert_scope& operator=(const alert_scope&) = delete;
    ~alert_scope();

  private:
    team& team_;
};

// Held across fork(), so that a child never inherits it locked.
mutex<machine>& stop_mutex() noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
