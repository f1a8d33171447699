// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>

#include <exception>
#include <utility>

#include <skerry/cancelled.hpp>

#include "base/port/clock.hpp"
#include "base/port/frame.hpp"
#include "base/port/thread.hpp"
#include "deps/task_scope.hpp"
#include "sched/entry.hpp"
#include "sched/latch_done.hpp"

namespace skerry::inline SKERRY_ABI::detail {

bool cover::is_group() const noexcept { return (ctx.stop.load(memory_order::relaxed) & stop_word::source) != 0; }

void cover::skip() noexcept {
    if (!is_group() && !error.any()) {
        error.offer(std::make_exception_ptr(cancelled()));
    }
}

void cover::fail() noexcept {
    if (!is_group()) {
        error.offer();
        return;
    }
    try {
        throw;
    } catch (const cancelled&) {
        if (ctx.stopping()) {
            return; // it was cut short, as it should be
        }
        error.offer();
    } catch (...) {
        error.offer();
    }
    request_stop(ctx);
}

finish_frame::finish_frame() noexcept
    : cover(current_page->ctx, counts_ahead::batch),
      spawner_(current_page->ctx->spawner),
      first_spawned_([this] {
          const task_scope* const spawned = task_scope::existing(*spawner_);
          return spawned != nullptr ? spawned->next_number() : 0;
      }()),
      outer_(current_page->ctx),
      home_(&worker::of(*current_page).home),
      base_(worker::of(*current_page).mine().depth()),
      outer_base_(std::exchange(worker::of(*current_page).floor, base_)),
      outer_entered_(std::exchange(worker::of(*current_page).entered, port::this_frame())),
      outer_ahead_(std::exchange(worker::of(*current_page).ahead, {&pending, counts_ahead::batch})) {
    worker::of(*current_page).contexts.enter(&ctx);
}

void finish_frame::wait() noexcept {
    worker& self = worker::of(*current_page);
    self.home.check_process();
    latch_done condition(pending, &self.ahead);
    constexpr const char* text = "finish: tasks begun inside";
    const task_scope* const siblings = spawner_->parent != &ctx ? task_scope::existing(*spawner_) : nullptr;
    if (siblings != nullptr && siblings->children() != 0) {
        // A task spawned inside may come after one that the same parent spawned before, which lies below our base and
        // which nobody else may be free to run: as in taskwait(), all of the parent's are ours. What is the parent
        // outside of all tasks is not around us, and our own tasks are not among its.
        const wanted ours = ctx.within(spawner_) ? wanted::within(spawner_) : wanted::within(&ctx, spawner_);
        self.home.wait_from_here(self, ours, condition, text, this);
    } else {
        self.home.wait(self, wanted::within(&ctx), base_, condition, text, this);
    }
    self.ahead = outer_ahead_;
    self.floor = outer_base_;
    self.entered = outer_entered_;
    self.contexts.leave(outer_);
    if (task_scope* const spawned = task_scope::existing(*spawner_);
        spawned != nullptr && spawned->next_number() != first_spawned_) {
        self.home.tell_waited(spawner_);
        if (std::exception_ptr failure = spawned->take_error(first_spawned_); failure != nullptr) {
            error.offer(std::move(failure));
        }
        if (spawner_->parent != &ctx) { // else the scope ends with the frame
            if (stops(*outer_)) {
                skip();
            }
            spawned->end_unwritten(pending, first_spawned_);
            spawned->tidy_at_times();
        }
    }
}

root_frame::root_frame() noexcept
    : root_(&ctx, nullptr, nullptr, nullptr),
      entered_(worker::of(*current_page).entered) {
    spawner_ = &root_;
    first_spawned_ = 0;
    worker::of(*current_page).contexts.set(&root_);
}

void root_frame::wait() noexcept {
    if (has_ended(worker::of(*current_page).ahead.held_of(pending))) {
        home_->check_process();
        leave();
        return;
    }
    task_scope::body_ended(root_, worker::of(*current_page).ahead.held_of(pending));
    finish_frame::wait();
    task_scope::close(root_);
}

root_frame::activity root_frame::state() const noexcept {
    constexpr std::uint64_t patience_ns = 10'000'000;
    worker& self = worker::of(*current_page);
    if (self.ctx != &root_ || self.entered != entered_ || self.blocking != 0 || !self.mine().ends_frames_at(base_)) {
        return activity::inside;
    }
    const task_scope* const spawned = task_scope::existing(root_); // it counts on the latch, and its children do not
    const std::size_t counted = self.ahead.held_of(pending) + (spawned != nullptr ? 1 : 0);
    if (spawned != nullptr && spawned->children() != 0) {
        return activity::begun;
    }
    // What a task computes is there a moment before its end: whoever has waited for that alone need not know.
    for (const std::uint64_t begin = pending.alone(counted) ? 0 : port::now_ns(); !pending.alone(counted);) {
        if (port::now_ns() - begin >= patience_ns) {
            return activity::begun;
        }
        port::yield();
    }
    return activity::quiet;
}

void root_frame::leave() noexcept {
    worker& self = worker::of(*current_page);
    std::swap(self.ahead, outer_ahead_);
    self.floor = outer_base_;
    std::swap(self.entered, outer_entered_);
    self.contexts.leave(outer_);
}

// What is around the frame now may be another place than before. Its context has the parent that it was made with.
void root_frame::come_back() noexcept {
    worker& self = worker::of(*current_page);
    outer_ = self.ctx;
    self.contexts.enter(&root_);
    std::swap(self.entered, outer_entered_);
    base_ = self.mine().depth();
    outer_base_ = std::exchange(self.floor, base_);
    std::swap(self.ahead, outer_ahead_);
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

void begin_counted(loose_task& task, latch<machine>& first, latch<machine>* second) {
    if (current_page != nullptr) {
        worker::of(*current_page).ahead.begin(first);
    } else {
        first.add();
    }
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
