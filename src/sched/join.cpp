// SPDX-License-Identifier: Apache-2.0

#include <skerry/detail/core/completion.hpp>
#include <skerry/detail/sched/join.hpp>
#include <skerry/detail/sched/stopping.hpp>

#include "base/panic.hpp"
#include "sched/team_wait.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// The end of a stolen task, as a wait sees it.
struct stolen_done {
    task_header& task;
    worker& executor;

    bool done() const noexcept { return task.joined.done(); }
    bool arm(bell& b) noexcept { return task.joined.try_wait(&b); }
    bool disarm() noexcept { return task.joined.stop_waiting(&executor); }
};

// Takes the newest task off and says whether it certainly is the caller's: it is `task` then, as above the split there
// are only the owner's frames.
bool take_off(worker_page& page, const task_header& task) noexcept {
    if (!page.pop()) {
        return false;
    }
    if (page.next()->load(memory_order::relaxed) != &task) {
        fatal(task_left_behind);
    }
    return true;
}

// As settle_or_wait(), also of a task that is not to begin.
bool take_back(worker_page& page, task_header& task) noexcept {
    worker& self = worker::of(page);
    self.home.check_process();
    for (;;) {
        task_header* above = nullptr;
        switch (self.mine().settle(task, above)) {
        case settled::mine:
            if (stops(*page.ctx)) [[unlikely]] {
                self.mine().share_all(); // T8
            }
            return true;
        case settled::newer:
            self.home.execute(self, *above);
            if (take_off(page, task)) {
                return true;
            }
            break;
        case settled::stolen: {
            if (auto* const executor = static_cast<worker*>(task.joined.executor())) {
                stolen_done condition{task, *executor};
                self.home.wait(self, wanted::of_executor(executor, task.base, task.joined), self.mine().depth(),
                               condition, "join of a stolen branch", &task);
            } else {
                machine::discard_all(coherence_step::task_joined);
            }
            return false;
        }
        }
    }
}

} // namespace

attended attend(worker_page& page) noexcept {
    worker& self = worker::of(page);
    self.home.check_process();
    if (!self.mine().attend()) {
        return attended::no_room;
    }
    return self.home.answer_push(self) ? attended::pushed : attended::cancelled;
}

bool settle_or_wait(worker_page& page, task_header& task) {
    const bool mine = take_back(page, task);
    if (mine && stops(*page.ctx)) [[unlikely]] {
        throw_cancelled();
    }
    return mine;
}

bool withdraw(task_header& task) noexcept {
    worker_page& page = *current_page;
    return take_off(page, task) || take_back(page, task);
}

void finish_stolen(task_header& task) noexcept {
    machine::publish_all(coherence_step::task_ended);
    if (void* const sleeper = task.joined.finish()) { // F1 -> F2: before anything is pushed here
        static_cast<bell*>(sleeper)->deliver();
    }
}

void count_end(latch<machine>& covering) noexcept {
    if (!worker::of(*current_page).ahead.end(covering)) {
        arrive(covering);
    }
}

void arrive(latch<machine>& pending, std::size_t n) noexcept {
    machine::publish_all(coherence_step::task_ended);
    void* const waiter = pending.arrive(n);
    if (waiter == nullptr) {
        return;
    }
    if (completion* const c = completion::of(waiter)) {
        machine::discard_all(coherence_step::found);
        c->ended(c); // D2 <- D1 (src/deps)
    } else {
        static_cast<bell*>(waiter)->deliver();
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
