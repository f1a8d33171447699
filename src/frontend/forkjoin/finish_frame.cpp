// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include <utility>

#include "frontend/forkjoin/entry.hpp"
#include "frontend/forkjoin/latch_done.hpp"

namespace skerry::inline SKERRY_ABI::detail {

finish_frame::finish_frame() noexcept
    : cover(current_page->ctx),
      outer_(current_page->ctx),
      home_(&worker::of(*current_page).home),
      base_(worker::of(*current_page).mine().depth()),
      outer_base_(std::exchange(worker::of(*current_page).floor, base_)) {
    current_page->ctx = &ctx;
}

void finish_frame::wait() noexcept {
    worker& self = worker::of(*current_page);
    self.home.check_process();
    arrive(pending);
    latch_done condition{pending};
    self.home.wait(self, wanted::within(&ctx), base_, condition, "finish: tasks begun inside", this);
    self.floor = outer_base_;
    self.ctx = outer_;
}

finish_frame::relation finish_frame::to_caller() const noexcept {
    if (current_page == nullptr) {
        return relation::outside;
    }
    const context& caller = current_page->ctx->frame();
    if (&caller == &ctx) {
        return relation::direct;
    }
    return caller.within(&ctx) ? relation::nested : relation::apart;
}

void finish_frame::begin_from_outside(loose_task& task) {
    pending.add();
    try {
        begin_task_in(*home_, task);
    } catch (...) {
        arrive(pending);
        throw;
    }
}

void arrive(latch<machine>& pending) noexcept {
    if (void* const sleeper = pending.arrive()) {
        static_cast<bell*>(sleeper)->notify();
    }
}

void begin_counted(loose_task& task, latch<machine>& first, latch<machine>* second) {
    first.add();
    if (second != nullptr) {
        second->add();
    }
    try {
        begin_task(task);
    } catch (...) {
        arrive(first);
        if (second != nullptr) {
            arrive(*second);
        }
        throw;
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
