// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract of what chooses among queues. Thread safety: under event_machine's lock.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event.hpp"
#include "frontend/event/queue_group.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_scheduler {
  public:
    event_scheduler() = default;
    event_scheduler(const event_scheduler&) = delete;
    event_scheduler& operator=(const event_scheduler&) = delete;
    virtual ~event_scheduler() = default;

    // It has events, and a core may receive one. Precondition: it is not listed.
    virtual void ready(schedulable& s) noexcept = 0;
    // It has none any more, or nobody may receive them. Precondition: it is listed.
    virtual void withdraw(schedulable& s) noexcept = 0;
    // `resumed`: bit p: the core has something to go on with, of priority p. That comes before what is ready of the
    // same.
    struct choice {
        schedulable* from = nullptr; // to receive from it, and it is not listed then
        bool goes_on = false;        // with what has `priority`
        unsigned priority = 0;
    };
    // `at_home`: the core works there.
    [[nodiscard]] virtual choice choose(int core, unsigned resumed, bool at_home) noexcept = 0;
    // Bit c: something is listed for core c. Without `to_take`: not only what it would take over from another core.
    [[nodiscard]] virtual std::uint64_t cores(bool to_take = true) const noexcept = 0;
};

// The queues of one core that are ready: `own` those that no other core may receive from, `common` the others.
//
// Thread safety: what the comment of event_home says.
struct home_ready {
    ready_set common;
    ready_set own;
    starvation_guard guard;
    std::uint64_t now = 0;

    [[nodiscard]] unsigned priorities() const noexcept { return common.priorities() | own.priorities(); }
    // One queue, and no more.
    [[nodiscard]] bool has_one() const noexcept {
        const unsigned all = priorities();
        if (!std::has_single_bit(all)) {
            return false;
        }
        const auto p = static_cast<unsigned>(std::countr_zero(all));
        return common.count(p) + own.count(p) == 1;
    }
    [[nodiscard]] ready_set& of(const schedulable& s) noexcept {
        return (s.group->mask & (s.group->mask - 1)) == 0 ? own : common;
    }
    void put(schedulable& s) noexcept { of(s).put(s, now); }
    void take(schedulable& s) noexcept { of(s).take(s); }
    // Precondition: one of that priority is there.
    [[nodiscard]] schedulable& first(unsigned priority) const noexcept {
        const bool in_common = (common.priorities() >> priority & 1) != 0;
        const bool in_own = (own.priorities() >> priority & 1) != 0;
        if (in_common && in_own) {
            schedulable& a = common.first(priority);
            schedulable& b = own.first(priority);
            return a.since < b.since ? a : b;
        }
        return (in_common ? common : own).first(priority);
    }
};

// The highest priority first, and of equal ones the one that has been ready for longest, for a turn. A core takes what
// is nobody's and what is its own; if there is nothing, it takes over queues of others.
//
// A step looks at the queue groups that have something ready, and at no queue but the first ones of their lists, and at
// those that it takes over.
class locked_scheduler final : public event_scheduler {
  public:
    // `starvation`: how often cores may choose something of higher priority while a lower one is ready; 0: any
    // number of times. Errors: std::bad_alloc.
    locked_scheduler(unsigned starvation, int cores)
        : starvation_(starvation),
          cores_(cores),
          homes_(std::make_unique<padded[]>(static_cast<std::size_t>(cores))) {}

    void ready(schedulable& s) noexcept override;
    void withdraw(schedulable& s) noexcept override;
    [[nodiscard]] choice choose(int core, unsigned resumed, bool at_home) noexcept override;
    [[nodiscard]] std::uint64_t cores(bool to_take = true) const noexcept override;

    // Bit p: the core may take something of priority p that is nobody's.
    [[nodiscard]] unsigned shared(int core) const noexcept;
    [[nodiscard]] bool any_shared() const noexcept { return !groups_.empty(); }
    [[nodiscard]] home_ready& home(int core) noexcept { return homes_[static_cast<std::size_t>(core)].ready; }

  private:
    struct alignas(event::alignment) padded {
        home_ready ready;
    };
    [[nodiscard]] bool take_over(int core, bool at_home) noexcept;

    static constexpr std::size_t most_taken_over = 32;
    const unsigned starvation_;
    const int cores_;
    const std::unique_ptr<padded[]> homes_;
    linked_list<queue_group, &queue_group::neighbours> groups_; // that have something ready which is nobody's
    starvation_guard guard_;
    std::uint64_t now_ = 0;
    bool from_home_ = false; // where a choice among equal ones went last
};

} // namespace skerry::inline SKERRY_ABI::detail
