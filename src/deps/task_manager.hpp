// SPDX-License-Identifier: Apache-2.0
#pragma once

// What decides which tasks may run, as the rest of the runtime sees it: software now (task_scope.hpp), a model of
// hardware or hardware later, behind the same two calls. Source: Nexus++ (Dallou and Juurlink), whose task manager
// hears of a task and its accesses, and of its end, and says what has become ready.
//
//  1. submit(task) comes once for each task, before anything else; its accesses are task.nodes. True: it is ready.
//  2. Tasks of one manager whose accesses conflict are ready in the order of their submit(), each when those before it
//     have finished.
//  3. finish(task, ready) comes once for each task, when it and all that was begun in it have ended. What becomes ready
//     by that is appended to `ready`, each task in one list of one finish() only.
//  4. A task is ready once: submit() has said so, or one finish() lists it.
//  5. finish() never fails. If submit() fails the order is as before.
//
// Thread safety: both from any thread, at the same time.

#include <concepts>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>

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

template <class M>
concept task_manager = requires(M& manager, dependent_task& task, ready_list& ready) {
    { manager.submit(task) } -> std::same_as<bool>;
    { M::finish(task, ready) } noexcept -> std::same_as<void>;
};

} // namespace skerry::inline SKERRY_ABI::detail
