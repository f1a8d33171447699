// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thief's end of somebody else's deque. Thread safety: any number of thieves. In the interrupt protocol only the
// owner's own core, for a thief: in the handler, or masked.

#include <skerry/detail/sync/heavy_fence.hpp>

#include "sync/deque.hpp"

namespace skerry::inline SKERRY_ABI::detail {

template <class M, class Task>
class deque_thief {
  public:
    explicit deque_thief(deque<M, Task>& d) noexcept : d_(d), page_(d.page_) {}

    // Whether a task lies in the shared part. A racy hint that reads only the thieves' own line.
    [[nodiscard]] bool offers() const noexcept {
        return d_.protocol_ == steal_protocol::interrupt ||
               d_.shared_.load(memory_order::acquire) > d_.top_.load(memory_order::acquire);
    }

    // Takes the oldest task if it is shared and `accept(task, index)` says yes. accept runs under the gate and is where
    // the thief marks the task as its own; it must not block. With `force`, a thief that was left without an answer
    // moves the split itself, at the price of a heavy fence.
    template <class Accept>
    [[nodiscard]] answer steal(Accept&& accept, bool force, Task*& task) noexcept {
        if (!d_.try_enter()) {
            return answer::busy;
        }
        slot* const top = d_.top_.load(memory_order::relaxed);
        slot* end = d_.shared_end();
        if (top >= end && force && d_.protocol_ == steal_protocol::asymmetric) {
            end = std::min(seize(top), d_.last_slot());
        }
        answer result = answer::refused;
        if (top < end) {
            const tagged_task<Task> found{top->load(memory_order::relaxed)};
            if (accept(*found.task(), d_.index(top))) {
                task = found.task();
                task->index = d_.index(top);
                d_.loose_ -= found.is_loose() ? 1U : 0U;
                d_.top_.store(top + 1, memory_order::release);
                if (d_.protocol_ == steal_protocol::interrupt &&
                    page_.split.load(memory_order::relaxed) <= top) { // invariant 8
                    page_.split.store(top + 1, memory_order::relaxed);
                }
                result = answer::granted;
            }
        } else if (d_.holds_any()) {
            result = answer::pending;
        }
        d_.leave();
        return result;
    }

    // Takes the oldest loose task out that accept(task) wants, from wherever it lies: all of them are shared. accept
    // and `hole` as above and in take_out(). Never pending. O(shared tasks).
    template <class Accept>
    [[nodiscard]] answer extract(Accept&& accept, Task& hole, Task*& task) noexcept {
        if (!d_.try_enter()) {
            return answer::busy;
        }
        answer result = answer::refused;
        slot* const end = d_.loose_ != 0 ? d_.shared_end() : nullptr;
        for (slot* s = d_.top_.load(memory_order::relaxed); s < end && result == answer::refused; ++s) {
            const tagged_task<Task> found{s->load(memory_order::relaxed)};
            if (found.is_loose() && found.task() != &hole && accept(*found.task())) {
                task = found.task();
                d_.take_out(s, hole);
                result = answer::granted;
            }
        }
        d_.leave();
        return result;
    }

    // Takes this loose task out, which was pushed here. Refused: it has been taken. O(1).
    [[nodiscard]] answer withdraw(Task& task, Task& hole) noexcept {
        if (!d_.try_enter()) {
            return answer::busy;
        }
        slot* const s = d_.slots_ + task.index;
        const bool found = s >= d_.top_.load(memory_order::relaxed) && s < d_.shared_end() &&
                           s->load(memory_order::relaxed) == tagged_task<Task>::loose(task);
        if (found) {
            d_.take_out(s, hole);
        }
        d_.leave();
        return found ? answer::granted : answer::refused;
    }

    // Asks the owner to share at its next push. Where it shares at every push there is nothing to ask.
    void ask() noexcept {
        if (d_.protocol_ == steal_protocol::asymmetric) {
            page_.ring();
        }
    }

    // Moves the split above all that the owner has pushed, so that its next pop is not certain. What became of the
    // fence that this needs; in flight, too, if another thief is at the gate.
    [[nodiscard]] heavy_fence expose() noexcept {
        if (!d_.try_enter()) {
            return heavy_fence::in_flight;
        }
        heavy_fence done = heavy_fence::passed;
        if (d_.protocol_ == steal_protocol::asymmetric) {
            slot* least = page_.split.load(memory_order::acquire);
            slot* const bottom = page_.bottom.load(memory_order::acquire);
            slot* const wanted = std::min(bottom, d_.last_slot()); // what is pushed there, the owner attends to
            done = wanted <= least ? done : seize_to(least, wanted);
        }
        d_.leave();
        return done;
    }

    [[nodiscard]] bool looks_busy() const noexcept { return d_.looks_busy(); }
    // The same as one who may read the owner's page sees it; exact on the owner's core.
    [[nodiscard]] bool holds_any() const noexcept { return d_.holds_any(); }

  private:
    using slot = typename deque<M, Task>::slot;

    // The asymmetric steal: announce the new split, make the owner's earlier pop visible or its next one see the
    // announcement, then keep what the owner had not popped before.
    slot* seize(slot* top) noexcept {
        const auto private_tasks = page_.bottom.load(memory_order::acquire) - top;
        if (private_tasks <= 0) {
            return top;
        }
        slot* end = top;
        static_cast<void>(seize_to(end, top + (private_tasks + 1) / 2));
        return end;
    }

    // The same up to `wanted`, where what lies below `end` is shared in any case; moves `end` up. Not passed: nothing
    // more is shared.
    [[nodiscard]] heavy_fence seize_to(slot*& end, slot* wanted) noexcept {
        page_.split.store(wanted, memory_order::relaxed);            // S1 -> O2
        const heavy_fence made = M::heavy_fence();                   // S2
        slot* const left = page_.bottom.load(memory_order::acquire); // S3 <- O1, P2
        end = made == heavy_fence::passed ? std::max(end, std::min(wanted, left)) : end;
        page_.split.store(end, memory_order::relaxed); // S4
        d_.shared_.store(end, memory_order::release);
        return made;
    }

    deque<M, Task>& d_;
    typename deque<M, Task>::page_type& page_;
};

} // namespace skerry::inline SKERRY_ABI::detail
