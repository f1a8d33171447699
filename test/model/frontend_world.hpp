// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the constructs of src/frontend/forkjoin take from the runtime above them, on the scheduler's world: threads that
// sit on a worker's slot, and threads from outside, which have none.

#include <memory>

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include "sched_world.hpp"

namespace skerry::model {

class frontend_world : public sched_world {
  public:
    frontend_world(unsigned workers, detail::steal_protocol protocol) : sched_world(workers, protocol, 0) {
        around = this;
    }
    static detail::team& team_around() { return around->team_; }

    // As runtime::run(): f, and then everything begun in it.
    template <class F>
    void run(unsigned worker, F&& f) {
        seat(worker);
        run_deeper(0, [&] { detail::finish_with_result<detail::finish_frame>(f); });
    }

  private:
    static inline frontend_world* around = nullptr; // always the same place in the arena
};

} // namespace skerry::model
