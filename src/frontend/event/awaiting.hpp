// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a thread waits for what other cores do.

#include "frontend/event/event_machine.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Until over(), which is called under the lock. A core runs its own functions meanwhile, since others may wait for
// those. A thread with a place in a team shows the watchdog what it waits for.
template <class Over>
void event_machine::await(Over&& over) {
    const int core = this_event_thread.core;
    const auto wait = [&] {
        for (;;) {
            {
                std::unique_lock lock(lock_);
                changed_.wait(lock, [&] { return over() || (core >= 0 && has_duties(core)); });
                if (over()) {
                    return;
                }
            }
            run_duties(core);
        }
    };
    if (current_page == nullptr) {
        wait();
        return;
    }
    const worker& self = worker::of(*current_page);
    self.with_trace([&](auto trace) {
        const activity_scope<decltype(trace)> waits(self, "other cores of the event machine", this);
        wait();
    });
}

} // namespace skerry::inline SKERRY_ABI::detail
