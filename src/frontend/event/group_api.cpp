// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for event groups, but for those that send.

#include <vector>

#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

em_event_group_t em_event_group_create() {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_CREATE;
    em_event_group_t handle = EM_EVENT_GROUP_UNDEF;
    static_cast<void>(with_machine("em_event_group_create", scope, [&](event_machine& em) -> em_status_t {
        handle = em.groups().create();
        return handle != EM_EVENT_GROUP_UNDEF
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                 "em_event_group_create: there are %zu event groups already", event_groups::most);
    }));
    return handle;
}

em_status_t em_event_group_delete(em_event_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_DELETE;
    return with_machine("em_event_group_delete", scope, [&](event_machine& em) -> em_status_t {
        switch (em.groups().remove(group)) {
        case event_groups::done::yes: return EM_OK;
        case event_groups::done::no_group: return refuse_no_group("em_event_group_delete", scope, group);
        case event_groups::done::no: break;
        }
        return refuse_call(EM_ERR_BAD_STATE, scope, "em_event_group_delete: event group %p is under way",
                           static_cast<void*>(group));
    });
}

em_status_t em_event_group_apply(em_event_group_t group, int count, int num_notif, const em_notif_t notif_tbl[]) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_APPLY;
    return with_machine("em_event_group_apply", scope, [&](event_machine& em) -> em_status_t {
        if (count < 1) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_event_group_apply: %d events are less than 1", count);
        }
        if (num_notif > EM_EVENT_GROUP_MAX_NOTIF) {
            return refuse_call(EM_ERR_TOO_LARGE, scope, "em_event_group_apply: %d notifications are more than %d",
                               num_notif, EM_EVENT_GROUP_MAX_NOTIF);
        }
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices("em_event_group_apply", scope, num_notif, notif_tbl, then, status)) {
            return status;
        }
        for (const notice& n : then) {
            if (n.group != EM_EVENT_GROUP_UNDEF && n.group == group) {
                return refuse_call(EM_ERR_BAD_ARG, scope,
                                   "em_event_group_apply: a notification of event group %p counts for itself",
                                   static_cast<void*>(group));
            }
        }
        switch (em.groups().apply(group, static_cast<std::uint64_t>(count), then)) {
        case event_groups::done::yes: return EM_OK;
        case event_groups::done::no_group: return refuse_no_group("em_event_group_apply", scope, group);
        case event_groups::done::no: break;
        }
        return refuse_call(EM_ERR_BAD_STATE, scope,
                           "em_event_group_apply: event group %p is under way; wait for its notification, or abort it",
                           static_cast<void*>(group));
    });
}

em_status_t em_event_group_increment(int count) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_INCREMENT;
    return with_machine("em_event_group_increment", scope, [&](event_machine& em) -> em_status_t {
        if (count < 1) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_event_group_increment: %d events are less than 1", count);
        }
        return em.groups().add(this_event_thread.group, static_cast<std::uint64_t>(count))
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_BAD_CONTEXT, scope,
                                 "em_event_group_increment: no event group is the current one");
    });
}

int em_event_group_is_ready(em_event_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_IS_READY;
    int ready = EM_FALSE;
    static_cast<void>(with_machine("em_event_group_is_ready", scope, [&](event_machine& em) -> em_status_t {
        switch (em.groups().is_ready(group)) {
        case event_groups::done::no_group: return refuse_no_group("em_event_group_is_ready", scope, group);
        case event_groups::done::yes: ready = EM_TRUE; break;
        case event_groups::done::no: break;
        }
        return EM_OK;
    }));
    return ready;
}

em_event_group_t em_event_group_current() {
    const group_tag tag = this_event_thread.group;
    return tag.any() && event_machine::instance()->groups().counts(tag) ? handle_of<em_event_group_t>(tag.number())
                                                                        : EM_EVENT_GROUP_UNDEF;
}

void em_event_group_processing_end() {
    event_thread& self = this_event_thread;
    const group_tag tag = std::exchange(self.group, {});
    if (const unsigned count = std::exchange(self.group_count, 0U); count != 0) {
        event_machine::instance()->groups().end(tag, count);
    }
}

em_status_t em_event_group_assign(em_event_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_ASSIGN;
    return with_machine("em_event_group_assign", scope, [&](event_machine& em) -> em_status_t {
        event_thread& self = this_event_thread;
        if (self.queue == nullptr || self.group.any()) {
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "em_event_group_assign: %s",
                               self.queue == nullptr ? "outside of a receive function"
                                                     : "the receive function has an event group");
        }
        switch (em.groups().begin(group, self.group)) {
        case event_groups::done::yes: self.group_count = 1; return EM_OK;
        case event_groups::done::no_group: return refuse_no_group("em_event_group_assign", scope, group);
        case event_groups::done::no: break;
        }
        return refuse_call(EM_ERR_BAD_STATE, scope, "em_event_group_assign: event group %p waits for no more events",
                           static_cast<void*>(group));
    });
}

em_status_t em_event_group_abort(em_event_group_t group) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_ABORT;
    return with_machine("em_event_group_abort", scope, [&](event_machine& em) -> em_status_t {
        switch (em.groups().abort(group)) {
        case event_groups::done::yes: return EM_OK;
        case event_groups::done::no_group: return refuse_no_group("em_event_group_abort", scope, group);
        case event_groups::done::no: break;
        }
        return refuse_call(EM_ERR_BAD_STATE, scope, "em_event_group_abort: event group %p is not under way",
                           static_cast<void*>(group));
    });
}

int em_event_group_get_notif(em_event_group_t group, int max_notif, em_notif_t notif_tbl[]) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GROUP_GET_NOTIF;
    int count = 0;
    static_cast<void>(with_machine("em_event_group_get_notif", scope, [&](event_machine& em) -> em_status_t {
        if (max_notif < 0 || (max_notif > 0 && notif_tbl == nullptr)) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_event_group_get_notif: %d notifications without a table",
                               max_notif);
        }
        const int found = em.groups().copy_notices(group, std::span(notif_tbl, static_cast<std::size_t>(max_notif)));
        if (found < 0) {
            return refuse_no_group("em_event_group_get_notif", scope, group);
        }
        count = found;
        return EM_OK;
    }));
    return count;
}

em_event_group_t em_event_group_get_first(unsigned int* num) {
    unsigned count = 0;
    em_event_group_t first = EM_EVENT_GROUP_UNDEF;
    static_cast<void>(with_machine("em_event_group_get_first", EM_ESCOPE_EVENT_GROUP_GET_FIRST,
                                   [&](event_machine& em) -> em_status_t {
                                       first = em.groups().after(EM_EVENT_GROUP_UNDEF);
                                       count = em.groups().count();
                                       return EM_OK;
                                   }));
    if (num != nullptr) {
        *num = count;
    }
    return this_event_thread.at.event_group = first;
}

em_event_group_t em_event_group_get_next() {
    em_event_group_t& at = this_event_thread.at.event_group;
    const em_event_group_t before = std::exchange(at, EM_EVENT_GROUP_UNDEF);
    if (before != EM_EVENT_GROUP_UNDEF) {
        static_cast<void>(with_machine("em_event_group_get_next", EM_ESCOPE_EVENT_GROUP_GET_NEXT,
                                       [&](event_machine& em) -> em_status_t {
                                           at = em.groups().after(before);
                                           return EM_OK;
                                       }));
    }
    return at;
}
