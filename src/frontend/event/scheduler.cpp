// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/scheduler.hpp"

#include <utility>

namespace skerry::inline SKERRY_ABI::detail {

void synchronous_scheduler::ready(event_queue& q) noexcept {
    list& of = lists_[q.priority];
    (of.first == nullptr ? of.first : of.last->next_listed) = &q;
    of.last = &q;
    q.next_listed = nullptr;
    q.listed = true;
}

void synchronous_scheduler::withdraw(event_queue& q) noexcept {
    list& of = lists_[q.priority];
    event_queue* before = nullptr;
    for (event_queue* at = of.first; at != &q; at = at->next_listed) {
        before = at;
    }
    (before == nullptr ? of.first : before->next_listed) = q.next_listed;
    if (of.last == &q) {
        of.last = before;
    }
    q.listed = false;
}

event_queue* synchronous_scheduler::choose() noexcept {
    for (unsigned priority = EM_QUEUE_PRIO_NUM; priority-- != 0;) {
        list& of = lists_[priority];
        if (of.first != nullptr) {
            event_queue* const q = std::exchange(of.first, of.first->next_listed);
            q->listed = false;
            return q;
        }
    }
    return nullptr;
}

} // namespace skerry::inline SKERRY_ABI::detail
