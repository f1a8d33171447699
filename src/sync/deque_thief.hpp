// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thief's end of somebody else's deque. Thread safety: any number of thieves.

#include "sync/deque.hpp"

namespace skerry::inline SKERRY_ABI::detail {

template <class M, class Task>
class deque_thief {
  public:
    explicit deque_thief(deque<M, Task>& d) noexcept : d_(d), page_(d.page_) {}

    // Whether a task lies in the shared part. A racy hint that reads only the thieves' own line.
    [[nodiscard]] bool offers() const noexcept {
        return d_.protocol_ == steal_protocol::locked
                   ? d_.looks_busy()
                   : d_.shared_.load(std::memory_order_relaxed) > d_.top_.load(std::memory_order_relaxed);
    }

    // Takes the oldest task if it is shared and `accept(task, index)` says yes. accept runs under the gate and is where
    // the thief marks the task as its own; it must not block. With `force`, a thief that was left without an answer
    // moves the split itself, at the price of a heavy fence.
    template <class Accept>
    [[nodiscard]] answer steal(Accept&& accept, bool force, Task*& task) noexcept {
        if (!d_.gate_.try_enter()) {
            return answer::busy;
        }
        slot* const top = d_.top_.load(std::memory_order_relaxed);
        const bool locked = d_.protocol_ == steal_protocol::locked;
        slot* end = (locked ? page_.bottom : page_.split).load(std::memory_order_acquire);
        if (top >= end && force && !locked) {
            end = seize(top);
        }
        // The last slot belongs to attend(), which may undo its push.
        end = std::min(end, d_.slots_ + d_.capacity_ - 1);
        answer result = answer::refused;
        if (top < end) {
            const tagged_task<Task> found{top->load(std::memory_order_relaxed)};
            if (accept(*found.task(), d_.index(top))) {
                task = found.task();
                task->index = d_.index(top);
                d_.loose_ -= found.is_loose() ? 1 : 0;
                d_.top_.store(top + 1, std::memory_order_relaxed);
                result = answer::granted;
            }
        } else if (d_.looks_busy()) {
            result = answer::pending;
        }
        d_.gate_.leave();
        return result;
    }

    // Takes the oldest loose task out that accept(task) wants, from wherever it lies: all of them are shared. accept
    // and `hole` as above and in take_out(). Never pending. O(shared tasks).
    template <class Accept>
    [[nodiscard]] answer extract(Accept&& accept, Task& hole, Task*& task) noexcept {
        if (!d_.gate_.try_enter()) {
            return answer::busy;
        }
        answer result = answer::refused;
        slot* const end = d_.loose_ != 0 ? shared_end() : nullptr;
        for (slot* s = d_.top_.load(std::memory_order_relaxed); s < end && result == answer::refused; ++s) {
            const tagged_task<Task> found{s->load(std::memory_order_relaxed)};
            if (found.is_loose() && found.task() != &hole && accept(*found.task())) {
                task = found.task();
                d_.take_out(s, hole);
                result = answer::granted;
            }
        }
        d_.gate_.leave();
        return result;
    }

    // Takes this loose task out, which was pushed here. Refused: it has been taken. O(1).
    [[nodiscard]] answer withdraw(Task& task, Task& hole) noexcept {
        if (!d_.gate_.try_enter()) {
            return answer::busy;
        }
        slot* const s = d_.slots_ + task.index;
        const bool found = s >= d_.top_.load(std::memory_order_relaxed) && s < shared_end() &&
                           s->load(std::memory_order_relaxed) == tagged_task<Task>::loose(task);
        if (found) {
            d_.take_out(s, hole);
        }
        d_.gate_.leave();
        return found ? answer::granted : answer::refused;
    }

    // Asks the owner to share at its next push.
    void ask() noexcept { page_.ring(); }

    [[nodiscard]] bool looks_busy() const noexcept { return d_.looks_busy(); }

  private:
    using slot = typename deque<M, Task>::slot;

    // Under the gate: the end of what thieves may touch. The last slot belongs to attend(), which may undo its push.
    slot* shared_end() const noexcept {
        const bool locked = d_.protocol_ == steal_protocol::locked;
        return std::min((locked ? page_.bottom : page_.split).load(std::memory_order_acquire),
                        d_.slots_ + d_.capacity_ - 1);
    }

    // The asymmetric steal: announce the new split, make the owner's earlier pop visible or its next one see the
    // announcement, then keep what the owner had not popped before.
    slot* seize(slot* top) noexcept {
        const auto private_tasks = page_.bottom.load(std::memory_order_acquire) - top;
        if (private_tasks <= 0) {
            return top;
        }
        slot* const wanted = top + (private_tasks + 1) / 2;
        page_.split.store(wanted, std::memory_order_relaxed);            // S1 -> O2
        const bool fenced = M::heavy_fence();                            // S2
        slot* const left = page_.bottom.load(std::memory_order_acquire); // S3 <- O1, P2
        slot* const end = fenced ? std::max(top, std::min(wanted, left)) : top;
        page_.split.store(end, std::memory_order_relaxed); // S4
        d_.shared_.store(end, std::memory_order_relaxed);
        return end;
    }

    deque<M, Task>& d_;
    typename deque<M, Task>::page_type& page_;
};

} // namespace skerry::inline SKERRY_ABI::detail
