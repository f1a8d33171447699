// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/notices.hpp"

#include <cstddef>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

bool copy_notices(const char* function, em_escope_t scope, int count, const em_notif_t* table, std::vector<notice>& to,
                  em_status_t& status) {
    if (count < 0 || (count > 0 && table == nullptr)) {
        status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: %d notifications without a table", function, count);
        return false;
    }
    event_machine& em = *event_machine::instance();
    for (const em_notif_t& n : std::span(table, static_cast<std::size_t>(count))) {
        if (n.event == EM_EVENT_UNDEF || em.queue(n.queue) == nullptr) {
            status =
                refuse_call(EM_ERR_BAD_ARG, scope, "%s: a notification without an event, or to no queue", function);
            return false;
        }
        if (n.egroup != EM_EVENT_GROUP_UNDEF && !em.groups().exists(n.egroup)) {
            status = refuse_no_group(function, scope, n.egroup);
            return false;
        }
        to.push_back({n.event, n.queue, n.egroup});
    }
    return true;
}

bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept {
    event_machine& em = *event_machine::instance();
    const event_thread& self = this_event_thread;
    if (self.scheduled == nullptr && self.queue == nullptr && (self.core < 0 || !em.has_asked(self.core)) &&
        (current_page == nullptr || em.core_that_waits_for(current_page->ctx) < 0)) {
        if (self.core < 0 || current_page == self.page || !em.has_suspended(self.core)) {
            return true;
        }
        status = refuse_call(EM_ERR_BAD_CONTEXT, scope,
                             "%s: inside of run(), where receive functions that the core has suspended cannot go on; "
                             "take the one without _sync",
                             function);
        return false;
    }
    status = refuse_call(EM_ERR_BAD_CONTEXT, scope,
                         "%s: inside of a receive function or of a task that it has begun; take the one without _sync",
                         function);
    return false;
}

void send_notices(std::span<const notice> which) noexcept {
    for (const notice& n : which) {
        const em_status_t status =
            n.group != EM_EVENT_GROUP_UNDEF ? em_send_group(n.event, n.queue, n.group) : em_send(n.event, n.queue);
        if (status != EM_OK) {
            em_free(n.event);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
