// SPDX-License-Identifier: Apache-2.0
#pragma once

// One slot of a team: a deque, a place to sleep, and what others may know about its owner. A background thread keeps
// its slot for life; a foreign thread holds one while it is inside a parallel region.
//
// Thread safety: in groups, as the comments say.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/core/worker_page.hpp>

#include "sched/counters.hpp"
#include "sync/deque_owner.hpp"
#include "sync/deque_thief.hpp"
#include "sync/event_count.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class team;

using bell = event_count<machine>;

// What a worker waits for, for the watchdog. The text is a literal.
struct activity {
    machine::atomic<const char*> text{"idle"};
    machine::atomic<const void*> subject{nullptr};
    machine::atomic<std::uint64_t> since{0}; // port::now_ns()
};

// Which tasks a worker that has nothing of its own to do may take: the policies of waiting, by name.
class wanted {
  public:
    // Anything: a worker with an empty stack.
    static wanted any() noexcept { return wanted(0); }
    // Leapfrogging (Wagner and Calder): what descends from the task that `executor` began at depth `base`, until
    // `ended` says that this task is done: from then on what lies there has nothing to do with it.
    static wanted of_executor(const worker_page* executor, std::size_t base, const join_word<machine>& ended) noexcept {
        wanted w(reinterpret_cast<std::uintptr_t>(executor) | executor_tag);
        w.base_ = base;
        w.ended_ = &ended;
        return w;
    }
    // Whatever was begun under a context.
    static wanted within(const context* ctx) noexcept {
        return wanted(reinterpret_cast<std::uintptr_t>(ctx) | context_tag);
    }
    // What a sleeper has announced; without the depth, which only matters when a task is taken.
    static wanted from_word(std::uintptr_t word) noexcept { return wanted(word); }

    [[nodiscard]] bool is_any() const noexcept { return word_ == 0; }
    [[nodiscard]] const worker_page* executor() const noexcept {
        return (word_ & executor_tag) != 0 ? reinterpret_cast<const worker_page*>(word_ & ~tags) : nullptr;
    }
    [[nodiscard]] const context* ctx() const noexcept {
        return (word_ & context_tag) != 0 ? reinterpret_cast<const context*>(word_ & ~tags) : nullptr;
    }
    [[nodiscard]] std::uintptr_t word() const noexcept { return word_; }

    // Whether the task at `index` of a victim's deque is one of these.
    [[nodiscard]] bool accepts(const task_header& task, std::size_t index) const noexcept {
        if (const context* const outer = ctx()) {
            return task.ctx->within(outer);
        }
        // The executor ends the task before it pushes what comes next, and the caller sees the push.
        return index >= base_ && (ended_ == nullptr || !ended_->done());
    }
    // Whether what `owner` pushes just now is one of these; `joined`: the context that the pushed task itself was begun
    // under, or null.
    [[nodiscard]] bool may_use(const worker_page& owner, const context* joined) const noexcept {
        return is_any() || executor() == &owner || (ctx() != nullptr && (ctx() == joined || owner.ctx->within(ctx())));
    }

  private:
    static constexpr std::uintptr_t executor_tag = 1;
    static constexpr std::uintptr_t context_tag = 2;
    static constexpr std::uintptr_t tags = 3;

    explicit wanted(std::uintptr_t word) noexcept : word_(word) {}

    std::uintptr_t word_;
    std::size_t base_ = 0;
    const join_word<machine>* ended_ = nullptr;
};

// What stays behind where a task was taken from the middle of a deque. Whoever gets it runs it, to no effect.
struct hole_task final : task_header {
    explicit hole_task(const context& root) noexcept : task_header([](task_header*) noexcept {}, &root) {}
};

struct worker final : worker_page {
    worker(team& t, const context& root, unsigned number, steal_protocol protocol)
        : home(t),
          slot(number),
          tasks(*this, protocol),
          hole(root) {}

    // Constant once the slot is published.
    team& home;
    const unsigned slot;
    std::vector<unsigned> order; // of the background workers, nearest first
    deque<machine, task_header> tasks;

    // Any thread.
    machine::atomic<bool> taken{true};
    machine::atomic<std::uint32_t> entries{0};    // how often the slot was taken
    machine::atomic<std::uintptr_t> announced{0}; // a wanted, valid while `sleeping` is prepared
    bell sleeping;
    activity doing;
    counters count;
    hole_task hole; // of this deque; written under its gate only

    // Owner only.
    std::uint32_t random = 0x9e3779b9U;
    std::size_t floor = 0;        // of the innermost wait or finish: tasks from this depth on are its own
    worker_page* outer = nullptr; // the page of the runtime around this one

    [[nodiscard]] deque_owner<machine, task_header> mine() noexcept { return deque_owner<machine, task_header>(tasks); }
    [[nodiscard]] deque_thief<machine, task_header> theirs() noexcept {
        return deque_thief<machine, task_header>(tasks);
    }

    // Every page is the head of a worker.
    static worker& of(worker_page& page) noexcept { return static_cast<worker&>(page); }
};

} // namespace skerry::inline SKERRY_ABI::detail
