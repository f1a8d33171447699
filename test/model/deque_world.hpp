// SPDX-License-Identifier: Apache-2.0
#pragma once

// A deque with an owner that forks and joins as src/frontend does, and thieves. What must hold: every task runs exactly
// once, whoever runs it; an owner that is told "stolen" waits for a thief that has it.

#include <array>
#include <cstddef>

#include <skerry/detail/sync/join_word.hpp>

#include "explorer.hpp"
#include "machine.hpp"
#include "sync/deque_owner.hpp"
#include "sync/deque_thief.hpp"

namespace skerry::model {

struct task {
    detail::join_word<machine> joined;
    std::size_t index = 0;
    plain<int> input{0};  // written before the push, read by whoever runs the task
    plain<int> result{0}; // written by whoever runs the task, read after the join
    int takers = 0;       // not part of the protocol: how often it was taken off the deque
    int thief = -1;
};

template <class Policy>
class deque_world {
  public:
    using page = detail::deque_page<Policy, task>;
    using deque = detail::deque<Policy, task>;
    using owner_end = detail::deque_owner<Policy, task>;
    using thief_end = detail::deque_thief<Policy, task>;

    explicit deque_world(detail::steal_protocol protocol) : deque_(page_, protocol) {
        label(page_.bottom, "bottom");
        label(page_.split, "split");
        label(page_.limit, "limit");
        label(deque_, "deque");
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            label(tasks_[i], "task" + std::to_string(i));
        }
    }

  protected:
    static constexpr int wanted_result = 100;

    // A fork of tasks_[first] around the forks of the ones after it, and the join.
    void fork(std::size_t first, std::size_t last) {
        if (first == last) {
            return;
        }
        task& own = tasks_[first];
        own.input.set(static_cast<int>(first) + 1);
        if (page_.push(&own)) {
            reached("attend");
            if (!owner_end(deque_).attend()) {
                reached("undone");
                fork(first + 1, last);
                run_own(own);
                return;
            }
        }
        fork(first + 1, last);
        if (page_.pop()) {
            run_own(own);
        } else {
            settle(own);
        }
    }

    void settle(task& own) {
        for (;;) {
            task* above = nullptr;
            switch (owner_end(deque_).settle(own, above)) {
            case detail::settled::mine:
                reached("mine after all");
                run_own(own);
                return;
            case detail::settled::newer:
                reached("newer");
                require(above != nullptr && above != &own, "the newer task is not another one");
                run_own(*above);
                if (page_.pop()) {
                    run_own(own);
                    return;
                }
                break;
            case detail::settled::stolen:
                reached("stolen");
                require(own.thief >= 0, "stolen, but no thief has it");
                while (!own.joined.done()) {
                    Policy::pause();
                }
                require(own.result.get() == wanted_result + own.thief, "the result has not arrived");
                return;
            }
        }
    }

    // One attempt. `force`: without waiting for an answer.
    bool steal(int thief, bool force, const char* goal) {
        task* got = nullptr;
        const auto accept = [&](task& t, std::size_t) {
            t.joined.begin(&tasks_);
            take(t, thief);
            return true;
        };
        const detail::answer answer = thief_end(deque_).steal(accept, force, got);
        if (answer != detail::answer::granted) {
            require(got == nullptr, "a task came without being granted");
            return false;
        }
        reached(goal);
        require(got != nullptr && got->thief == thief, "granted, but not the task that was accepted");
        check_input(*got);
        got->result.set(wanted_result + thief);
        static_cast<void>(got->joined.finish());
        return true;
    }

    // As a worker does: takes what is offered, else asks, and in the end takes without an answer.
    void ask_then_steal(int thief, bool impatient) {
        thief_end end(deque_);
        if (end.offers() && steal(thief, false, "granted")) {
            return;
        }
        end.ask();
        if (end.offers() && steal(thief, false, "granted")) {
            return;
        }
        if (impatient) {
            steal(thief, true, "seized");
        }
    }

    void take(task& t, int thief) {
        require(t.takers == 0, "a task was taken twice");
        ++t.takers;
        t.thief = thief;
    }
    void check_input(const task& t) const {
        require(t.input.get() == static_cast<int>(&t - tasks_.data()) + 1, "the task has not arrived");
    }
    void run_own(task& t) {
        take(t, -1);
        check_input(t);
    }

    void require_taken(std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            require(tasks_[i].takers == 1, "a task was lost");
        }
    }

    page page_;
    deque deque_;
    std::array<task, 4> tasks_;
};

} // namespace skerry::model
