// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

struct latch_done {
    latch<machine>& pending;

    bool done() const noexcept { return pending.done(); }
    bool arm(bell& b) noexcept { return pending.arm(&b); }
    void disarm() noexcept { pending.disarm(); }
};

} // namespace

finish_frame::finish_frame() noexcept
    : ctx(current_page->ctx, &pending),
      outer_(current_page->ctx),
      base_(worker::of(*current_page).mine().depth()) {
    current_page->ctx = &ctx;
}

void finish_frame::wait() noexcept {
    worker& self = worker::of(*current_page);
    self.home.check_process();
    arrive(pending);
    latch_done condition{pending};
    self.home.wait(self, wanted::within(&ctx), base_, condition, "finish: tasks begun inside", this);
    self.ctx = outer_;
}

void arrive(latch<machine>& pending) noexcept {
    if (void* const sleeper = pending.arrive()) {
        static_cast<bell*>(sleeper)->notify();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
