// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that send.

#include <algorithm>
#include <span>

#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

em_status_t refuse_queue(const char* function, em_escope_t scope, em_queue_t queue) noexcept {
    return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", function, static_cast<void*>(queue));
}

// How many it has sent; those behind are the caller's as before. `status`: what is wrong with the first of them.
int send_events(const char* function, em_escope_t scope, std::span<const em_event_t> events, em_queue_t queue,
                em_event_group_t group, em_status_t& status) noexcept {
    int count = 0;
    status = with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        const event_queue* const q = em.queue(queue);
        if (q == nullptr) { // or it is removed from here on, before the lock
            return refuse_queue(function, scope, queue);
        }
        if (std::ranges::find(events, EM_EVENT_UNDEF) != events.end()) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "%s: no event", function);
        }
        group_tag tag;
        if (group != EM_EVENT_GROUP_UNDEF) {
            tag = em.groups().tag_of(group);
            if (!tag.any()) {
                return refuse_no_group(function, scope, group);
            }
            if (q->type == EM_QUEUE_TYPE_UNSCHEDULED) {
                return refuse_call(EM_ERR_BAD_ARG, scope, "%s: event groups do not count what queue %p holds", function,
                                   static_cast<void*>(queue));
            }
        }
        if (this_event_thread.until_started != nullptr) {
            for (const em_event_t handle : events) {
                this_event_thread.until_started->push_back({event::of(handle), queue});
                event::of(handle)->group = tag;
                ++count;
            }
            return EM_OK;
        }
        if (events.empty()) {
            return EM_OK;
        }
        tell_sent(events, queue,
                  tag.any() ? group : handle_of<em_event_group_t>(event::of(events.front())->group.number()));
        for (const em_event_t handle : events) {
            event& e = *event::of(handle);
            if (tag.any()) { // or it was sent in a start function, and has one
                e.group = tag;
            }
            const event_machine::sent result = em.send(e, queue);
            if (result == event_machine::sent::yes) {
                ++count;
                continue;
            }
            e.group = {};
            switch (result) {
            case event_machine::sent::no_queue: return refuse_queue(function, scope, queue);
            case event_machine::sent::full:
                return refuse_call(EM_ERR_OPERATION_FAILED, scope, "%s: queue %p holds as many events as it may",
                                   function, static_cast<void*>(queue));
            default:
                return refuse_call(EM_ERR_BAD_STATE, scope, "%s: no execution object receives from queue %p now",
                                   function, static_cast<void*>(queue));
            }
        }
        return EM_OK;
    });
    return count;
}

} // namespace

em_status_t em_send(em_event_t handle, em_queue_t queue) {
    em_status_t status = EM_OK;
    static_cast<void>(
        send_events("em_send", EM_ESCOPE_SEND, std::span(&handle, 1), queue, EM_EVENT_GROUP_UNDEF, status));
    return status;
}

em_status_t em_send_group(em_event_t handle, em_queue_t queue, em_event_group_t group) {
    em_status_t status = EM_OK;
    static_cast<void>(send_events("em_send_group", EM_ESCOPE_SEND_GROUP, std::span(&handle, 1), queue, group, status));
    return status;
}

int em_send_group_multi(const em_event_t events[], int num, em_queue_t queue, em_event_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_SEND_GROUP_MULTI;
    if (events == nullptr || num < 0) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope, "em_send_group_multi: %d events, and %s", num,
                                      events == nullptr ? "a null pointer" : "a table"));
        return 0;
    }
    em_status_t status = EM_OK;
    return send_events("em_send_group_multi", scope, std::span(events, static_cast<std::size_t>(num)), queue, group,
                       status);
}
