// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that mark events: what is outside will send or free them.

#include <span>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

em_status_t mark(event_call call, em_escope_t scope, em_event_t handle, event_mark as) noexcept {
    giving_away giving;
    em_status_t status = EM_OK;
    static_cast<void>(given_away(call, scope, handle, giving, status, as));
    return status;
}

em_status_t unmark(event_call call, em_escope_t scope, em_event_t handle, event_mark as) noexcept {
    if (handle == EM_EVENT_UNDEF) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: no event", name_of(call));
    }
    event& e = *event::of(handle);
    return !verifies() || e.state.unmark(event::generation_of(handle), call, as)
               ? em_status_t{EM_OK}
               : tell_not_marked(name_of(call), scope, e);
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_status_t em_event_mark_send(em_event_t event, em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_MARK_SEND;
    return with_queue("em_event_mark_send", scope, queue, [&](event_machine&, event_queue& q) -> em_status_t {
        if (!q.scheduled()) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_event_mark_send: cores do not receive from queue %p",
                               static_cast<void*>(queue));
        }
        return mark(event_call::mark_send, scope, event, event_mark::send);
    });
}

em_status_t em_event_unmark_send(em_event_t event) {
    return unmark(event_call::unmark_send, EM_ESCOPE_EVENT_UNMARK_SEND, event, event_mark::send);
}

void em_event_mark_free(em_event_t event) {
    static_cast<void>(mark(event_call::mark_free, EM_ESCOPE_EVENT_MARK_FREE, event, event_mark::free));
}

void em_event_unmark_free(em_event_t event) {
    static_cast<void>(unmark(event_call::unmark_free, EM_ESCOPE_EVENT_UNMARK_FREE, event, event_mark::free));
}

void em_event_mark_free_multi(const em_event_t events[], int num) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_MARK_FREE_MULTI;
    if (is_table("em_event_mark_free_multi", scope, events, num)) {
        for (const em_event_t e : std::span(events, static_cast<std::size_t>(num))) {
            static_cast<void>(mark(event_call::mark_free_multi, scope, e, event_mark::free));
        }
    }
}

void em_event_unmark_free_multi(const em_event_t events[], int num) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_UNMARK_FREE_MULTI;
    if (is_table("em_event_unmark_free_multi", scope, events, num)) {
        for (const em_event_t e : std::span(events, static_cast<std::size_t>(num))) {
            static_cast<void>(unmark(event_call::unmark_free_multi, scope, e, event_mark::free));
        }
    }
}
