// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract of what chooses among queues. Thread safety: under event_machine's lock.

#include <cstdint>

#include <skerry/detail/base/abi.hpp>

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
    [[nodiscard]] virtual choice choose(int core, unsigned resumed) noexcept = 0;
    // Bit c: something is listed for core c.
    [[nodiscard]] virtual std::uint64_t cores() const noexcept = 0;
};

// The highest priority first, and of equal ones the one that has been ready for longest, for a turn.
//
// A step looks at the queue groups that have something ready, and at no queue but the first ones of their lists.
class locked_scheduler final : public event_scheduler {
  public:
    // `starvation`: how often cores may choose something of higher priority while a lower one is ready; 0: any
    // number of times.
    explicit locked_scheduler(unsigned starvation) noexcept : starvation_(starvation) {}

    void ready(schedulable& s) noexcept override;
    void withdraw(schedulable& s) noexcept override;
    [[nodiscard]] choice choose(int core, unsigned resumed) noexcept override;
    [[nodiscard]] std::uint64_t cores() const noexcept override;

  private:
    const unsigned starvation_;
    linked_list<queue_group, &queue_group::neighbours> groups_; // that have something ready
    starvation_guard guard_;
    std::uint64_t now_ = 0;
};

} // namespace skerry::inline SKERRY_ABI::detail
