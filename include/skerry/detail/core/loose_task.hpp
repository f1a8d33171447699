// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/task_header.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A task that no branch of a fork waits for. It lives until it has run, and says where it lies until then, so that
// whoever waits for it can fetch it: a wait whose task nobody else is free to begin would never end.
//
// Thread safety: `place` is constant once the task has begun its way; the rest is guarded by the queue's lock.
struct loose_task : task_header {
    using task_header::task_header;

    // Whose deque it was pushed to; null: the team's queue.
    worker_page* place = nullptr;
    // Neighbours in that queue.
    loose_task* older = nullptr;
    loose_task* newer = nullptr;
    bool queued = false;

  protected:
    ~loose_task() = default;
};

static_assert(sizeof(loose_task) == 9 * sizeof(void*));

} // namespace skerry::inline SKERRY_ABI::detail
