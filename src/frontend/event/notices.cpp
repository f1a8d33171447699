// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/notices.hpp"

#include <span>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

bool copy_notices(const char* function, em_escope_t scope, int count, const em_notif_t* table, std::vector<notice>& to,
                  em_status_t& status) {
    if (count < 0 || (count > 0 && table == nullptr)) {
        status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: %d notifications without a table", function, count);
        return false;
    }
    for (const em_notif_t& n : std::span(table, static_cast<std::size_t>(count))) {
        if (n.egroup != EM_EVENT_GROUP_UNDEF) {
            status = refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "%s: notifications to event groups are not there yet",
                                 function);
            return false;
        }
        if (n.event == EM_EVENT_UNDEF || event_machine::instance()->queue(n.queue) == nullptr) {
            status =
                refuse_call(EM_ERR_BAD_ARG, scope, "%s: a notification without an event, or to no queue", function);
            return false;
        }
        to.push_back({n.event, n.queue});
    }
    return true;
}

bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept {
    const event_machine& em = *event_machine::instance();
    const event_thread& self = this_event_thread;
    if (self.scheduled == nullptr && self.queue == nullptr &&
        (current_page == nullptr || em.core_that_waits_for(current_page->ctx) < 0)) {
        return true;
    }
    status = refuse_call(EM_ERR_BAD_CONTEXT, scope,
                         "%s: inside of a receive function or of a task that it has begun; take the one without _sync",
                         function);
    return false;
}

} // namespace skerry::inline SKERRY_ABI::detail
