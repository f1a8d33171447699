// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/core/worker_page.hpp>

namespace skerry::inline SKERRY_ABI::detail {

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
    // Whatever was begun under a context; and under `beside`, unless null.
    static wanted within(const context* ctx, const context* beside = nullptr) noexcept {
        wanted w(reinterpret_cast<std::uintptr_t>(ctx) | context_tag);
        w.beside_ = beside;
        return w;
    }
    // What a sleeper has announced; without the depth and `beside`, which only matter when a task is taken.
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
            return task.ctx->within(outer) || (beside_ != nullptr && task.ctx->within(beside_));
        }
        // F2 <- F1: the executor ends the task before it pushes what comes next, and the caller sees the push.
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
    const context* beside_ = nullptr;
};

} // namespace skerry::inline SKERRY_ABI::detail
