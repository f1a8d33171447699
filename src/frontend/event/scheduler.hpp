// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract of what chooses among queues. Thread safety: under event_machine's lock.

#include <array>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_scheduler {
  public:
    event_scheduler() = default;
    event_scheduler(const event_scheduler&) = delete;
    event_scheduler& operator=(const event_scheduler&) = delete;
    virtual ~event_scheduler() = default;

    // The queue has events, and a core may receive one. Precondition: it is not listed.
    virtual void ready(event_queue& q) noexcept = 0;
    // It has none any more, or nobody may receive them. Precondition: it is listed.
    virtual void withdraw(event_queue& q) noexcept = 0;
    // The one that a core shall receive from, which is not listed then; null: none is listed.
    [[nodiscard]] virtual event_queue* choose() noexcept = 0;
};

// A list for each priority: the highest first, and of equal ones the one that has been ready for longest.
class synchronous_scheduler final : public event_scheduler {
  public:
    void ready(event_queue& q) noexcept override;
    void withdraw(event_queue& q) noexcept override;
    [[nodiscard]] event_queue* choose() noexcept override;

  private:
    struct list {
        event_queue* first = nullptr;
        event_queue* last = nullptr;
    };
    std::array<list, EM_QUEUE_PRIO_NUM> lists_;
};

} // namespace skerry::inline SKERRY_ABI::detail
