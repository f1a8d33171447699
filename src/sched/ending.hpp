// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lies between a task that is submitted from outside and the end of its runtime, in the order in which it has to
// be done: V1, V5, V6 and H5 of src/sched/README.md.

#include <skerry/detail/sched/join.hpp>

#include "sched/latch_done.hpp"
#include "sched/permits.hpp"
#include "sched/reserve.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// V6. Keeps the end of a team off as long as this lives, for a thread that is not of the team and hands a task over to
// it: before that call is back the task may have ended, and whoever waited for it have gone. Precondition: something
// has not ended that the team's end waits for, be it a task in a frame of the team that is none of the detached ones.
// Then the end of that task tells the end of the team of this count: it comes before the task is in the queue.
class visit {
  public:
    explicit visit(team& home) noexcept
        : counted_(current_page != nullptr && &worker::of(*current_page).home == &home ? nullptr : &home.detached()) {
        if (counted_ != nullptr) {
            counted_->add();
        }
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit() {
        if (counted_ != nullptr) {
            arrive(*counted_);
        }
    }

  private:
    latch<machine>* const counted_;
};

// Hands over a task that has been counted. `anybody`: as for team::inject(). Thread safety: any thread.
inline void submit_to(team& home, reserve& spare, loose_task& task, bool anybody = false) noexcept {
    const visit from_outside(home);
    home.inject(task, anybody);
    spare.tell(); // V1
}

// Runs tasks until none is left of what was submitted, and what that has left. `runtime` names the wait to a watchdog.
inline void finish_submitted(worker& self, const void* runtime) noexcept {
    team& home = self.home;
    latch_done condition(home.detached());
    home.wait(self, wanted::any(), 0, condition, "end of the runtime: tasks submitted to it", runtime);
    home.tell_waited(nullptr);
}

// Gives the caller's slot back. First it runs what is in its deque: begun there, waited for nowhere.
inline void leave_slot(worker& self) noexcept {
    self.home.check_process();
    while (task_header* const task = self.mine().take_newest(0)) {
        self.home.execute(self, *task);
    }
    current_page = self.outer;
    self.trace.leave();
    self.home.free_slot(self);
}

// Ends the work of every thread of a team, and calls `join`, which waits until they have ended. Thread safety: one
// thread.
template <class Join>
void stop_threads(team& home, reserve& spare, permits& lent, Join&& join) noexcept {
    home.stop();
    spare.tell(); // V1
    lent.end();   // H5
    join();
}

// Ends a runtime, by a thread inside it. `stop` calls stop_threads().
template <class Stop>
void end_runtime(worker& self, const void* runtime, Stop&& stop) noexcept {
    finish_submitted(self, runtime);
    leave_slot(self);
    stop();
}

} // namespace skerry::inline SKERRY_ABI::detail
