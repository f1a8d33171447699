// SPDX-License-Identifier: Apache-2.0
#pragma once

// What decides which tasks may run, in two parts. The *scope* (task_scope.hpp) is software always: children, numbers,
// waits, failures, names and which of them overlap. The *order*, whose turn has come, is behind this contract: today's
// groups (software_order.hpp), or a task manager outside of the scope, which is leased to one scope at a time
// (deps/nexus). Source: Nexus++ (Dallou and Juurlink), whose manager hears of a task and its accesses, and of its end,
// and says later what has become ready.
//
//  1. submit(task) comes once for each task, before anything else; its accesses are task.nodes. It answers "ready" or
//     "later", and never waits.
//  2. Tasks of one scope whose accesses conflict are ready in the order of their submit(), each when those before it
//     have finished.
//  3. finish(task, ready) comes once for each task, when it and all that was begun in it have ended. It never fails and
//     never waits for room. What becomes ready by it may be appended to `ready`.
//  4. A task is ready once: submit() has said so, or one finish() or poll() lists it, on any thread.
//  5. While something is on its way in the manager poll() brings it on; while nothing is, on_its_way() is false, and
//     nobody need poll.
//  6. If submit() fails the order is as before.
//
// Thread safety: submit() under the scope's lock, all others from any thread at the same time, and never under that
// lock.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

#include "sched/team.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Tasks in the order in which they became ready.
struct ready_list {
    dependent_task* first = nullptr;
    dependent_task* last = nullptr;

    void push(dependent_task& t) noexcept {
        t.next_ready = nullptr;
        (last != nullptr ? last->next_ready : first) = &t;
        last = &t;
    }
    dependent_task* pop() noexcept {
        dependent_task* const t = first;
        if (t != nullptr) {
            first = t->next_ready;
            last = first != nullptr ? last : nullptr;
        }
        return t;
    }
};

// The waiter of taskwait_on() is none: a taskwait() in another branch may run on top of its frame, and must not wait
// for it. The parent's body is not over as long as the frame stands, so nobody else needs to count it.
inline bool is_child(const dependent_task& task) noexcept { return task.type.execute != nullptr; }

// A task manager outside of the scope. A team has one at most, and then it has no other processes. It has a lease: the
// scope whose tasks it orders. It is free when all that it has taken has finished.
class task_manager : public outward {
  public:
    task_manager(const task_manager&) = delete;
    task_manager& operator=(const task_manager&) = delete;
    virtual ~task_manager() = default;

    // Of that team; null: its scopes order their tasks themselves.
    static task_manager* of(const team& t) noexcept {
        outward* const to = t.beyond();
        return to != nullptr && to->is == beyond_team::task_manager ? static_cast<task_manager*>(to) : nullptr;
    }

    // Takes the task, for poll() to list when its turn has come. False: the lease is another scope's, or the task can
    // never fit. Precondition: no name of its accesses overlaps another one, and none is a region.
    [[nodiscard]] virtual bool submit(const task_scope& by, dependent_task& task) noexcept = 0;
    // Whether something that this scope has submitted has not finished.
    [[nodiscard]] virtual bool orders(const task_scope& scope) noexcept = 0;
    // A task that the scope orders itself waits until all that the manager has taken has finished: then it is let in
    // (task_scope::let_in()). False: all has.
    [[nodiscard]] virtual bool hold(const task_scope& by, dependent_task& task) noexcept = 0;
    virtual void finish(dependent_task& task, ready_list& ready) noexcept = 0;
    // Brings on what is on its way. The waiter of a taskwait_on() is listed when its accesses have ended already.
    virtual void poll(ready_list& ready) noexcept = 0;

    // Tasks that were spawned while this manager was there: those that it has ordered, and those that software has.
    [[nodiscard]] std::uint64_t managed_tasks() const noexcept { return managed_.load(memory_order::acquire); }
    [[nodiscard]] std::uint64_t unmanaged_tasks() const noexcept { return unmanaged_.load(memory_order::acquire); }
    void count_unmanaged(const dependent_task& task) noexcept {
        if (is_child(task)) {
            unmanaged_.fetch_add(1, memory_order::release);
        }
    }

  protected:
    task_manager() noexcept : outward(beyond_team::task_manager) {}
    void count_managed(const dependent_task& task) noexcept {
        if (is_child(task)) {
            managed_.fetch_add(1, memory_order::release);
        }
    }

  private:
    machine::atomic<std::uint64_t> managed_{0};
    machine::atomic<std::uint64_t> unmanaged_{0};
};

} // namespace skerry::inline SKERRY_ABI::detail
