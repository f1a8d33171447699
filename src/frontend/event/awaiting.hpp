// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a thread waits for what other cores do.

#include "frontend/event/event_machine.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Until over(), which is called under the lock. A core runs its own functions meanwhile, and receive functions that
// were resumed, since others may wait for those. A thread with a place in a team shows the watchdog what it waits for.
inline constexpr const char* waits_for_cores = "other cores of the event machine";

template <class Over>
void event_machine::await(const char* text, Over&& over) {
    const int core = this_event_thread.core;
    const auto goes_on = [&] { return (resumed_ >> core & 1) != 0 && current_page == this_event_thread.page; };
    const auto wait = [&] {
        for (;;) {
            {
                std::unique_lock lock(lock_);
                changed_.wait(lock, [&] { return over() || (core >= 0 && (has_duties(core) || goes_on())); });
                if (over()) {
                    return;
                }
            }
            run_duties(core);
            run_resumed(core);
        }
    };
    if (current_page == nullptr) {
        wait();
        return;
    }
    const worker& self = worker::of(*current_page);
    self.with_trace([&](auto trace) {
        const activity_scope<decltype(trace)> waits(self, text, this);
        wait();
    });
}

} // namespace skerry::inline SKERRY_ABI::detail
