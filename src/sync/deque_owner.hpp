// SPDX-License-Identifier: Apache-2.0
#pragma once

// The slow half of the owner's end; the fast half is deque_page. Thread safety: the owner only.

#include "base/panic.hpp"
#include "sync/deque.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Why a frame's task is not where the frame left it.
inline constexpr const char* task_left_behind =
    "a branch or loop body ended before the task::wait() for a task that it had spawned";

template <class M, class Task>
class deque_owner {
  public:
    explicit deque_owner(deque<M, Task>& d) noexcept : d_(d), page_(d.page_) {}

    // Answers a push that said "attend": grows the slots, hands half of the private tasks to the thieves. False: there
    // is no memory to grow, the push is undone, and the caller must run the task itself.
    [[nodiscard]] bool attend() noexcept {
        slot* const b = page_.bottom.load(memory_order::relaxed);
        if (b >= d_.slots_ + d_.capacity_ && !grow()) {
            page_.bottom.store(b - 1, M::owner_release); // the last slot is never stolen from, see thief
            return false;
        }
        page_.limit.store(d_.quiet_limit(), memory_order::relaxed); // Z4
        share();
        M::full_fence(); // Z4 before whatever the caller looks at next (who sleeps): pairs with Z1, Z2
        return true;
    }

    // After a pop(), pop_to() or pop_at() that was not certain. `task` is what the owner wants; on `newer`, `above` is
    // what it got. Retracts the split, so that what remains is partly private again.
    [[nodiscard]] settled settle(const Task& task, Task*& above) noexcept {
        d_.enter();
        slot* const b = d_.newest_end() - 1;
        page_.bottom.store(b, M::owner_release);
        slot* const top = d_.top_.load(memory_order::relaxed);
        settled result = settled::stolen;
        if (top > b) { // thieves take the oldest first: all below top is gone, `task` too
            slot* const own = d_.slots_ + task.index;
            page_.bottom.store(own, M::owner_release);
            d_.top_.store(own, memory_order::release);
            move_split(own);
        } else {
            const tagged found{b->load(memory_order::relaxed)};
            if (found.task() == &task) {
                result = settled::mine;
            } else {
                if (!found.is_loose()) {
                    fatal(task_left_behind);
                }
                result = settled::newer;
                above = found.task();
                --d_.loose_;
            }
            retract_split(top, b);
        }
        d_.leave();
        return result;
    }

    // Pushes a task that no frame of the owner will pop, and shares all there is (invariant 6). True: somebody wants
    // attention. Errors: std::bad_alloc, nothing is pushed.
    bool push_loose(Task& task) {
        const bool full = page_.bottom.load(memory_order::relaxed) + 1 >= d_.slots_ + d_.capacity_;
        if (full && !grow()) {
            throw std::bad_alloc();
        }
        d_.enter();
        slot* const b = page_.bottom.load(memory_order::relaxed);
        task.index = d_.index(b);
        b->store(tagged::loose(task), memory_order::relaxed);
        page_.bottom.store(b + 1, M::owner_release);
        ++d_.loose_;
        move_split(b + 1);
        d_.leave_as_owner();
        M::light_fence(); // the push before the look at limit, as for push(): pairs with Z2
        return full || page_.limit.load(memory_order::relaxed) == nullptr; // full: grow() may have undone a ring
    }

    // Takes the newest task off if it lies at `base` or above. Null: none. For waits, when every frame has been popped
    // and only loose tasks can be there.
    [[nodiscard]] Task* take_newest(std::size_t base) noexcept {
        slot* b = page_.bottom.load(memory_order::relaxed);
        if (d_.index(b) <= base) {
            return nullptr;
        }
        Task* result = nullptr;
        d_.enter();
        slot* const top = d_.top_.load(memory_order::relaxed);
        if (top < b && d_.index(b) > base) {
            --b;
            result = tagged{b->load(memory_order::relaxed)}.task();
            page_.bottom.store(b, M::owner_release);
            --d_.loose_;
            retract_split(top, b);
        } else if (top >= b) { // all taken: slide back, so that the frames below find their places
            b = d_.slots_ + base;
            page_.bottom.store(b, M::owner_release);
            if (top > b) {
                d_.top_.store(b, memory_order::release);
                move_split(b);
            }
        }
        d_.leave_as_owner();
        return result;
    }

    // Takes a loose task that was pushed here out, wherever it lies. False: it has been taken. Leaves a hole (see
    // take_out) where the newest task lies below depth `floor`, which the next push must not go below.
    [[nodiscard]] bool withdraw(Task& task, std::size_t floor, Task& hole) noexcept {
        d_.enter();
        slot* const s = d_.slots_ + task.index;
        const bool found = s >= d_.top_.load(memory_order::relaxed) && s < page_.bottom.load(memory_order::relaxed) &&
                           s->load(memory_order::relaxed) == tagged::loose(task);
        if (found) {
            remove(s, floor, hole);
        }
        d_.leave();
        return found;
    }

    // Takes the newest loose task out that lies below depth `at` and that accept(task) wants; moves `at` down to it.
    // Null: there is none. `floor`: see withdraw().
    template <class Accept>
    [[nodiscard]] Task* take_below(std::size_t& at, Accept&& accept, std::size_t floor, Task& hole) noexcept {
        Task* result = nullptr;
        d_.enter();
        slot* const top = d_.top_.load(memory_order::relaxed);
        slot* s = std::min(d_.slots_ + at, page_.bottom.load(memory_order::relaxed));
        while (result == nullptr && s > top && d_.loose_ != 0) {
            --s;
            const tagged found{s->load(memory_order::relaxed)};
            if (found.is_loose() && found.task() != &hole && accept(*found.task())) {
                result = found.task();
                remove(s, floor, hole);
            }
        }
        at = result != nullptr ? d_.index(s) : 0;
        d_.leave_as_owner();
        return result;
    }

    // Puts everything within reach of thieves who will get no answer for a while.
    void share_all() noexcept {
        d_.enter();
        move_split(page_.bottom.load(memory_order::relaxed));
        d_.leave();
    }

    // Whether the newest of the owner's frames ends at `end`, and nothing but loose tasks lies above.
    [[nodiscard]] bool ends_frames(const void* end) const noexcept {
        const slot* s = page_.bottom.load(memory_order::relaxed);
        while (s != end && s != d_.slots_ && tagged{s[-1].load(memory_order::relaxed)}.is_loose()) {
            --s;
        }
        return s == end;
    }

    // The same of what lies at this depth and above: no frame has a task there.
    [[nodiscard]] bool ends_frames_at(std::size_t depth) const noexcept { return ends_frames(d_.slots_ + depth); }

    // How many slots lie below the next push: where a wait begins.
    [[nodiscard]] std::size_t depth() const noexcept { return d_.index(page_.bottom.load(memory_order::relaxed)); }
    [[nodiscard]] std::size_t capacity() const noexcept { return d_.capacity_; }

  private:
    using slot = typename deque<M, Task>::slot;
    using tagged = tagged_task<Task>;

    // Puts everything below `to` within thieves' reach, or out of it. Inside the door, with bottom where it shall be.
    void move_split(slot* to) noexcept {
        switch (d_.protocol_) {
        case steal_protocol::asymmetric:
            page_.split.store(to, memory_order::relaxed);
            d_.shared_.store(to, memory_order::release);
            break;
        case steal_protocol::locked:
            d_.shared_.store(page_.bottom.load(memory_order::relaxed), memory_order::release);
            break;
        case steal_protocol::interrupt: page_.split.store(to, memory_order::relaxed); break;
        }
    }

    // After a pop below the split: what remains is partly private again, but for loose tasks.
    void retract_split(slot* top, slot* bottom) noexcept {
        const auto kept = d_.protocol_ == steal_protocol::interrupt ? 0 : (bottom - top) / 2;
        move_split(d_.loose_ != 0 ? bottom : top + kept);
    }

    // Inside the door.
    void remove(slot* s, std::size_t floor, Task& hole) noexcept {
        slot* const top = d_.top_.load(memory_order::relaxed);
        if (s + 1 != page_.bottom.load(memory_order::relaxed) || d_.index(s) < floor) {
            d_.take_out(s, hole);
            return;
        }
        slot* b = s;
        --d_.loose_;
        while (b > top && d_.index(b) > floor && d_.loose_ != 0 &&
               (b - 1)->load(memory_order::relaxed) == tagged::loose(hole)) {
            --b;
            --d_.loose_;
        }
        page_.bottom.store(b, M::owner_release);
        retract_split(top, b);
    }

    void share() noexcept {
        switch (d_.protocol_) {
        case steal_protocol::asymmetric:
            if (d_.gate_.try_enter()) { // else a thief at the gate gets what it wants without us
                slot* const split = page_.split.load(memory_order::relaxed);
                slot* const bottom = page_.bottom.load(memory_order::relaxed);
                if (bottom > split) {
                    move_split(split + (bottom - split + 1) / 2);
                }
                d_.gate_.leave();
            }
            break;
        case steal_protocol::locked: share_all(); break; // the push itself: before this, thieves do not see the task
        case steal_protocol::interrupt: break;           // all is within the handler's reach
        }
    }

    // Doubles the slots, where they are.
    [[nodiscard]] bool grow() noexcept {
        d_.enter(); // thieves ask which slot is the last
        const bool grown = d_.extend(2 * d_.capacity_);
        if (grown) {
            page_.limit.store(d_.quiet_limit(), memory_order::relaxed);
        }
        d_.leave();
        return grown;
    }

    deque<M, Task>& d_;
    typename deque<M, Task>::page_type& page_;
};

} // namespace skerry::inline SKERRY_ABI::detail
