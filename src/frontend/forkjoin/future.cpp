// SPDX-License-Identifier: Apache-2.0

#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <skerry/detail/frontend/forkjoin/future_state.hpp>

#include "base/port/thread.hpp"
#include "frontend/forkjoin/coroutine_code.hpp"
#include "sched/cancellation.hpp"
#include "sched/entry.hpp"
#include "sched/latch_done.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// What stands in a future's join word: a bell, or a coroutine, told apart by the second bit.
constexpr std::uintptr_t coroutine_tag = 2;

void* tagged(continuation& c) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&c) | coroutine_tag);
}

void notify(void* sleeper) noexcept {
    const auto word = reinterpret_cast<std::uintptr_t>(sleeper);
    if ((word & coroutine_tag) != 0) {
        machine::discard_all(coherence_step::found);
        reinterpret_cast<continuation*>(word & ~coroutine_tag)->begin();
    } else {
        static_cast<bell*>(sleeper)->deliver();
    }
}

// A reference to what the caller's next task may be asked to stop by. Errors: std::bad_alloc.
const stop_state* held_by_caller() {
    const stop_state* const around = left_by(current_context());
    return around != nullptr ? around->held() : nullptr;
}

} // namespace

// The end of the task, as a wait sees it.
struct future_base::ended {
    future_base& task;

    bool done() const noexcept { return task.done(); }
    bool arm(bell& b) noexcept { return task.end_.try_wait(&b); }
    bool disarm() noexcept { return task.end_.stop_waiting(nullptr); }
};

future_base::future_base(void (*r)(task_header*) noexcept)
    : loose_task(r, &current_context().frame()),
      home_(&current_team()),
      own_(*ctx, *ctx, held_by_caller()) {
    end_.begin(nullptr);
}

future_base::~future_base() { let_go(stop_word::state_of(own_.stop.load(memory_order::relaxed))); }

void future_base::begin() { begin_counted(*this, *ctx->pending, nullptr); }

void future_base::enter() noexcept {
    base_.store(worker::of(*current_page).mine().depth(), memory_order::release); // U1 -> U2, by the next
    executor_.store(current_page, memory_order::release);                         // U1 -> U2
    worker::of(*current_page).contexts.set(&own_);
}

void future_base::leave() noexcept {
    worker::of(*current_page).contexts.set(ctx);
    latch<machine>& covering = *ctx->pending;
    machine::publish_all(coherence_step::task_ended);
    if (void* const sleeper = end_.finish()) { // U3
        notify(sleeper);
    }
    release();
    count_end(covering);
}

// True in the task itself and in its branches, wherever they run. Also when a wait further down this thread's stack has
// run the caller on top of the task: then the task cannot go on either before the caller returns.
bool future_base::waits_for_caller() const noexcept {
    const worker_page* const executor = executor_.load(memory_order::acquire);
    for (worker_page* page = current_page; page != nullptr && executor != nullptr; page = worker::of(*page).outer) {
        if (page == executor || page->ctx->within(&own_)) {
            return !done();
        }
    }
    return false;
}

void future_base::wait() {
    if (done()) {
        machine::discard_all(coherence_step::task_joined);
        return;
    }
    if (waits_for_caller()) {
        throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                                "skerry: a task waits for its own future, or runs on top of the task it waits for");
    }
    home_->check_process();
    std::optional<team_entry> entry;
    bool inside = current_page != nullptr && &worker::of(*current_page).home == home_;
    if (!inside) {
        try {
            entry.emplace(*home_);
            inside = true;
        } catch (...) { // no slot is free
        }
    }
    if (inside) {
        wait_inside();
    } else {
        ended condition{*this};
        wait_without_slot(condition);
    }
}

void future_base::wait_inside() noexcept {
    worker& self = worker::of(*current_page);
    if (self.home.withdraw(self, *this)) {
        self.home.execute(self, *this);
        return;
    }
    const worker_page* executor = nullptr;
    while ((executor = executor_.load(memory_order::acquire)) == nullptr) { // U2 <- U1
        port::yield();                                                      // somebody has just taken it
    }
    ended condition{*this};
    self.home.wait(self, wanted::of_executor(executor, base_.load(memory_order::acquire), end_), self.mine().depth(),
                   condition, "the task of a future", this);
}

// --- coroutines -----------------------------------------------------------------------------------------------------

bool continuation::suspend(future_base& awaited, std::coroutine_handle<> handle) noexcept {
    const bool inside = current_page != nullptr;
    home_ = inside ? &worker::of(*current_page).home : awaited.home_;
    ctx = inside ? &current_page->ctx->frame() : &home_->root();
    if (inside) {
        try {
            around_ = held_by_caller();
        } catch (const std::bad_alloc&) {
            around_ = nullptr; // the rest does not hear of requests
        }
    }
    handle_ = handle;
    latch<machine>& covering = *ctx->pending;
    covering.add(); // U4
    machine::publish_all(coherence_step::handed_over);
    if (awaited.end_.try_wait(tagged(*this))) { // U4 -> U3
        return true;
    }
    arrive(covering);
    let_go(std::exchange(around_, nullptr));
    machine::discard_all(coherence_step::task_joined);
    return false;
}

void continuation::begin() noexcept {
    worker& self = worker::of(*current_page);
    if (&self.home != home_) {
        hand_over(*home_, *this);
        return;
    }
    try {
        begin_task(*this);
    } catch (const std::bad_alloc&) { // for a larger deque: here and now
        self.home.execute(self, *this);
    }
}

// A coroutine's frame begins with the address of the function that resumes it, with every compiler that can build this.
std::uintptr_t coroutine_code(const task_header& task) noexcept {
    return task.run == &continuation::resume
               ? *static_cast<const std::uintptr_t*>(static_cast<const continuation&>(task).handle_.address())
               : 0;
}

void continuation::resume(task_header* header) noexcept {
    auto& self = static_cast<continuation&>(*header);
    latch<machine>& covering = *self.ctx->pending;
    const context& frame = *self.ctx;
    const stop_state* const around = self.around_;
    const context own(frame, frame, around);
    worker& here = worker::of(*current_page);
    here.contexts.set(&own);
    self.handle_.resume(); // the coroutine's frame, and with it this task, may be gone
    here.contexts.set(&frame);
    let_go(around);
    count_end(covering);
}

} // namespace skerry::inline SKERRY_ABI::detail
