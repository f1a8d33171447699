// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks that are begun in one place and waited for in another, and that can be called off together.

#include <utility>

#include <skerry/cancelled.hpp>
#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/misuse.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/joint_task.hpp>
#include <skerry/detail/sched/stopping.hpp>

namespace skerry::inline SKERRY_ABI {

// A group that is a variable of a task, or of what that calls, is inside of the groups around that task; so is one on
// the heap that such code makes. What is inside of a cancelled group is cancelled.
//
// Thread safety: run() and cancel() from any number of threads. wait() and the destructor: one thread, while nobody but
// the group's own tasks may still call run().
class task_group {
  public:
    // Errors: std::bad_alloc, inside of another group only.
    SKERRY_EXPORT task_group();
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // Waits. An exception that no wait() has fetched is dropped; call wait() to see it.
    SKERRY_EXPORT ~task_group();

    // Begins f as a task of the group; f is moved or copied. A finish around the call waits for it too.
    // After cancel(), or after a task of the group has thrown, f is dropped instead, until the next wait() is over; and
    // always inside of a cancelled group.
    // Errors: std::bad_alloc, or what moving f throws; std::system_error if the default runtime cannot be started.
    // f does not run then.
    template <detail::storable_task_function F>
    void run(F&& f) {
        if (!detail::stops(members_.ctx)) { // a hint, looked at again before f begins
            detail::begin_joint<false>(detail::current_context().frame(), members_, std::forward<F>(f));
        }
    }
    // Any other call: what is wrong with it.
    template <class... A>
        requires(sizeof...(A) != 1 || !(detail::storable_task_function<A> && ...))
    auto run(A&&...) {
        detail::explain_task<A...>();
    }

    // Waits for the tasks of the group and runs them meanwhile; rethrows the first exception of one, or says whether
    // they were cancelled. The group is then as new. What the tasks begin by other constructs is not waited for here.
    // Errors: std::system_error (resource_deadlock_would_occur) inside a task of this group.
    SKERRY_EXPORT group_status wait();

    // What has not begun inside is skipped: tasks of the group, and whatever they have begun or would begin, by every
    // construct. A construct that is cut short throws skerry::cancelled, with which the task ends. stop_requested() is
    // true in what runs on. Ends with the next wait().
    void cancel() noexcept { detail::request_stop(members_.ctx); }

  private:
    void wait_for_members() noexcept;

    detail::cover members_;
};

} // namespace skerry::inline SKERRY_ABI
