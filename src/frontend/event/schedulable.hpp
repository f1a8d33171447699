// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <event_machine/platform/event_machine_hw_types.h>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>

#include "frontend/event/linked.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct queue_group;

// What a core chooses: a queue, or an atomic group, which stands for the best of its queues.
//
// Thread safety: under event_machine's lock.
struct schedulable {
    enum class kind : std::uint8_t { queue, atomic_group };

    schedulable(kind k, queue_group* of) noexcept : what(k), group(of) {}

    const kind what;
    int home = -1;                                   // the core whose queue it is; negative: nobody's
    queue_group* const group;                        // null: of a queue that nobody schedules
    em_queue_prio_t priority = EM_QUEUE_PRIO_NORMAL; // of a queue constant

    // Apart from what senders on other cores read: its owner writes these at each step.
    alignas(cache_line) bool listed = false; // in a ready_set
    unsigned turn = 0;                       // events received since it last was at the end of its list
    std::uint64_t since = 0;                 // when that was, counted in such moments
    std::uint64_t round = 0;                 // of its home, in which it was received from last
    links<schedulable> neighbours;

    void move_home(int core) noexcept {
        home = core;
        round = 0;
    }
};

// Those that are ready, of each priority in the order in which they take turns.
class ready_set {
  public:
    using list = linked_list<schedulable, &schedulable::neighbours>;

    // Equal ones take turns of so many events each.
    static constexpr unsigned turn_events = EM_SCHED_MULTI_MAX_BURST;

    // Bit p: one of priority p is there.
    [[nodiscard]] unsigned priorities() const noexcept { return priorities_; }
    [[nodiscard]] bool empty() const noexcept { return priorities_ == 0; }
    // Precondition: not empty.
    [[nodiscard]] unsigned highest() const noexcept {
        return static_cast<unsigned>(31 - std::countl_zero(priorities_));
    }
    [[nodiscard]] std::size_t count(unsigned priority) const noexcept { return lists_[priority].size(); }
    // Precondition: one of that priority is there.
    [[nodiscard]] schedulable& first(unsigned priority) const noexcept { return *lists_[priority].first(); }

    // `now`: counts those that have begun to wait for a turn.
    void put(schedulable& s, std::uint64_t& now) noexcept {
        list& of = lists_[s.priority];
        if (s.turn != 0 && s.turn < turn_events) { // its turn goes on
            of.push_front(s);
        } else {
            s.turn = 0;
            s.since = ++now;
            of.push_back(s);
        }
        s.listed = true;
        priorities_ |= 1U << s.priority;
    }
    void take(schedulable& s) noexcept {
        list& of = lists_[s.priority];
        of.erase(s);
        s.listed = false;
        if (of.empty()) {
            priorities_ &= ~(1U << s.priority);
        }
    }

  private:
    std::array<list, EM_QUEUE_PRIO_NUM> lists_;
    unsigned priorities_ = 0;
};

// Which of several priorities comes next: the highest, unless a lower one has been passed over too often.
//
// Thread safety: under event_machine's lock.
class starvation_guard {
  public:
    // Precondition: bit p of `priorities` is set for one p. `starvation`: how often higher ones may come next while a
    // lower one is there; 0: any number of times.
    [[nodiscard]] unsigned next(unsigned priorities, unsigned starvation) noexcept;

  private:
    std::array<unsigned, EM_QUEUE_PRIO_NUM> passed_{}; // times that higher ones came next
};

} // namespace skerry::inline SKERRY_ABI::detail
