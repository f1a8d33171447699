// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread that runs what comes from outside when no worker is free. It steals from nobody, so that it adds no thread
// to a machine that is full. src/sched/README.md has the steps.
//
// Thread safety: tell() is for any thread, stand_by() for the one that is the reserve.
//
// Invariant: if it sleeps, no task lies in the queue and the team goes on, or somebody is about to tell it.

#include <skerry/detail/base/abi.hpp>

#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class reserve {
  public:
    reserve() = default;
    reserve(const reserve&) = delete;
    reserve& operator=(const reserve&) = delete;

    // There is a task in the queue, or the team stops. Precondition: a full fence since then; team::inject() and
    // team::stop() end with one before they look at who sleeps.
    void tell() noexcept { bell_.notify(); } // V1 -> V2

    // The life of the reserve, who holds the slot, until the team stops.
    void stand_by(worker& place) noexcept {
        const team& home = place.home;
        while (!home.stopping()) {
            place.parked.store(true, memory_order::release);
            bell_.prepare();                              // V2 -> V1
            if (home.any_injected() || home.stopping()) { // V3 <- Q1, stop
                bell_.cancel();
            } else {
                bell_.wait();
            }
            place.parked.store(false, memory_order::release);
            serve(place); // V4
        }
    }

  private:
    // Runs what was injected and what that leaves in the own deque.
    static void serve(worker& place) noexcept {
        place.with_trace([&](auto trace) { serve_as(place, trace); });
    }
    template <class Trace>
    static void serve_as(worker& place, Trace trace) noexcept {
        for (;;) {
            task_header* task = place.mine().take_newest(0);
            if (task == nullptr) {
                task = place.home.take_injected(place, wanted::any(), team::queue_part::few);
            }
            if (task == nullptr) {
                return;
            }
            const activity_scope<Trace> doing(place, "running tasks", nullptr);
            place.home.execute(place, trace, *task, successors::here);
        }
    }

    bell bell_;
};

} // namespace skerry::inline SKERRY_ABI::detail
