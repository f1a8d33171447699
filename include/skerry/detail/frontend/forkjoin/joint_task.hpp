// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of scopes and groups. Each is one block of memory with its closure, freed before the wait is told.

#include <memory>
#include <type_traits>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/loose_task.hpp>
#include <skerry/detail/frontend/forkjoin/finish_frame.hpp>
#include <skerry/detail/sched/named_section.hpp>
#include <skerry/detail/sched/task_memory.hpp>
#include <skerry/detail/trace/body_name.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// A task that one frame covers.
template <class F>
class scope_task final : public loose_task, public task_memory {
  public:
    template <class G>
    scope_task(finish_frame& frame, G&& g)
        : loose_task(&run_and_delete, &frame.ctx),
          frame_(frame),
          f_(std::forward<G>(g)) {}

  private:
    static void run_and_delete(task_header* header) noexcept {
        runs_named<F, &scope_task::run_and_delete>();
        auto& self = static_cast<scope_task&>(*header);
        finish_frame& frame = self.frame_;
        {
            const function_section<F> shown(self.f_);
            frame.call(self.f_);
        }
        delete &self;
        count_end(frame.pending);
    }

    finish_frame& frame_;
    F f_;
};

// A task of a scope or group that is begun under another frame, which covers it too. What the task itself begins is
// counted by that frame; if that frame is not within the scope (`Apart`), the task waits for it itself.
template <class F, bool Apart>
class joint_task final : public loose_task, public task_memory {
  public:
    template <class G>
    joint_task(const context& enclosing, cover& other, G&& g)
        : loose_task(&run_and_delete, &own_),
          own_(enclosing, other.ctx),
          cover_(other),
          f_(std::forward<G>(g)) {}

  private:
    static void run_and_delete(task_header* header) noexcept {
        runs_named<F, &joint_task::run_and_delete>();
        auto& self = static_cast<joint_task&>(*header);
        cover& other = self.cover_;
        latch<machine>& enclosing = *self.own_.pending;
        {
            const function_section<F> shown(self.f_);
            if constexpr (Apart) {
                const auto body = [&self] { static_cast<void>(finish_with_result(self.f_)); };
                other.call(body);
            } else {
                other.call(self.f_);
            }
        }
        delete &self;
        count_end(enclosing);
        arrive(other.pending);
    }

    context own_;
    cover& cover_;
    F f_;
};

// Errors: as begin_task(), and what the closure's constructor throws; nothing has begun then.
template <bool Apart, class F>
void begin_joint(const context& enclosing, cover& other, F&& f) {
    auto task = std::make_unique<joint_task<std::decay_t<F>, Apart>>(enclosing, other, std::forward<F>(f));
    begin_counted(*task, *enclosing.pending, &other.pending);
    static_cast<void>(task.release()); // it deletes itself, or has done so
}

template <class F>
void begin_in_scope(finish_frame& frame, F&& f) {
    using relation = finish_frame::relation;
    const relation caller = frame.to_caller();
    if (caller == relation::nested) {
        begin_joint<false>(current_page->ctx->frame(), frame, std::forward<F>(f));
    } else if (caller == relation::apart) {
        begin_joint<true>(current_page->ctx->frame(), frame, std::forward<F>(f));
    } else {
        auto task = std::make_unique<scope_task<std::decay_t<F>>>(frame, std::forward<F>(f));
        if (caller == relation::direct) {
            begin_counted(*task, frame.pending, nullptr);
        } else {
            frame.begin_from_outside(*task);
        }
        static_cast<void>(task.release());
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
