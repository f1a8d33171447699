// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a thief asks of a victim whose deque only the victim's own core may touch, and what the handler there answers.
//
// Thread safety: `ask` is written by the thief while nobody answers, `reply` by the handler that answers; the interrupt
// and its answer order the two. They lie on two lines, so that on caches kept by software each has one writer.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/core/loose_task.hpp>

#include "sched/wanted.hpp"
#include "sync/deque.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct worker;

struct steal_request {
    enum class kind : std::uint8_t {
        steal,    // the oldest task
        extract,  // a loose task from the middle
        withdraw, // this loose task
        alert,    // no task: the owner's next push and pop look for requests to stop
    };
    struct alignas(cache_line) question {
        worker* victim = nullptr;
        worker* thief = nullptr;
        loose_task* subject = nullptr; // of withdraw
        std::size_t depth = 0;         // of the thief's own deque
        wanted wish = wanted::any();
        kind what = kind::steal;
    };
    struct alignas(cache_line) response {
        task_header* task = nullptr;
        answer result = answer::refused;
        bool more = false; // there is something left for others
    };

    question ask;
    response reply;
};

} // namespace skerry::inline SKERRY_ABI::detail
