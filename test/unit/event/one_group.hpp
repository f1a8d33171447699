// SPDX-License-Identifier: Apache-2.0
#pragma once

// An event group with an object that receives for it and one that is told.

#include <functional>
#include <vector>

#include <gmock/gmock.h>

#include "cores.hpp"

namespace skerry::test {

inline em_event_group_t no_such_group() { return EM_REINTERPRET_CAST(em_event_group_t, 77); }

// Calls what the test says, and frees the event.
struct script {
    std::function<void()> what = [] {};
    unsigned received = 0;
    std::vector<em_event_group_t> groups; // the current one of each receive function
};
inline void follow(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    script& s = *static_cast<script*>(context);
    em_free(event);
    ++s.received;
    s.groups.push_back(em_event_group_current());
    s.what();
}

struct one_group {
    script work;
    script told;
    receiver worker = make_receiver(follow, &work, EM_QUEUE_TYPE_ATOMIC);
    receiver listener = make_receiver(follow, &told, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_LOW);
    em_event_group_t group = em_event_group_create();

    [[nodiscard]] em_notif_t notification(em_event_group_t counts_for = EM_EVENT_GROUP_UNDEF) const {
        return {make_event(), listener.queue, counts_for};
    }
    void apply(int count) const {
        const em_notif_t then = notification();
        ASSERT_EQ(em_event_group_apply(group, count, 1, &then), EM_OK);
    }
    void send() const { ASSERT_EQ(em_send_group(make_event(), worker.queue, group), EM_OK); }
};

} // namespace skerry::test
