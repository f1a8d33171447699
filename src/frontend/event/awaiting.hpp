// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a thread waits for what other cores do.

#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Until over(), which is called under the lock. A core runs its own functions meanwhile, since others may wait for
// those.
template <class Over>
void event_machine::await(Over&& over) {
    const int core = this_event_thread.core;
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
}

} // namespace skerry::inline SKERRY_ABI::detail
