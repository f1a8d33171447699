// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks that are begun in one place and waited for in another, and that can be called off together.

#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/task_function.hpp>
#include <skerry/detail/frontend/forkjoin/joint_task.hpp>

namespace skerry::inline SKERRY_ABI {

// Thread safety: run() and cancel() from any number of threads. wait() and the destructor: one thread, while nobody but
// the group's own tasks may still call run().
class task_group {
  public:
    task_group() = default;
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // Waits. An exception that no wait() has fetched is dropped; call wait() to see it.
    SKERRY_EXPORT ~task_group();

    // Begins f as a task of the group; f is moved or copied. A finish around the call waits for it too.
    // After cancel(), or after a task of the group has thrown, f is dropped instead, until the next wait() is over.
    // Errors: std::bad_alloc, or what moving f throws; std::system_error if the default runtime cannot be started.
    // f does not run then.
    template <detail::storable_task_function F>
    void run(F&& f) {
        if (!members_.ctx.stop.load(detail::memory_order::acquire)) { // a hint, looked at again before f begins
            detail::begin_joint<false>(detail::current_context().frame(), members_, std::forward<F>(f));
        }
    }

    // Waits for the tasks of the group and runs them meanwhile; rethrows the first exception of one. The group is
    // then as new. What the tasks begin by other constructs is not waited for here.
    // Errors: std::system_error (resource_deadlock_would_occur) inside a task of this group.
    SKERRY_EXPORT void wait();

    // Tasks not yet begun are skipped; stop_requested() is true in the running ones. Ends with the next wait().
    void cancel() noexcept { members_.ctx.stop.store(true, detail::memory_order::release); }

  private:
    void wait_for_members() noexcept;

    detail::cover members_{nullptr, true};
};

} // namespace skerry::inline SKERRY_ABI
