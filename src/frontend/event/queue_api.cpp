// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for queues.

#include <memory>
#include <utility>

#include "frontend/event/kept_name.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

em_queue_t em_queue_create(const char* name, em_queue_type_t type, em_queue_prio_t prio, em_queue_group_t group,
                           const em_queue_conf_t* conf) {
    constexpr em_escope_t scope = EM_ESCOPE_QUEUE_CREATE;
    em_queue_t handle = EM_QUEUE_UNDEF;
    static_cast<void>(with_machine("em_queue_create", scope, [&](event_machine& em) -> em_status_t {
        if (type == EM_QUEUE_TYPE_UNDEF || type > EM_QUEUE_TYPE_OUTPUT) {
            return refuse_call(EM_ERR_BAD_TYPE, scope, "em_queue_create: there is no type %u", type);
        }
        if (type != EM_QUEUE_TYPE_ATOMIC && type != EM_QUEUE_TYPE_PARALLEL) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope,
                               "em_queue_create: queues of type %u are not there yet; atomic (1) and parallel (2) are",
                               type);
        }
        if (prio >= EM_QUEUE_PRIO_NUM) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_queue_create: priority %u is not from 0 to %d", prio,
                               EM_QUEUE_PRIO_NUM - 1);
        }
        if (group != EM_QUEUE_GROUP_DEFAULT) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope,
                               "em_queue_create: queue groups are not there yet, but for EM_QUEUE_GROUP_DEFAULT");
        }
        if (conf != nullptr && ((conf->flags & EM_QUEUE_FLAG_MASK) != EM_QUEUE_FLAG_DEFAULT || conf->conf_len != 0)) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope,
                               "em_queue_create: flags 0x%x and %zu bytes of configuration; none are there yet",
                               conf->flags, conf->conf_len);
        }
        auto q = std::make_unique<event_queue>();
        q->type = type;
        q->priority = prio;
        q->most = conf != nullptr ? conf->min_events : 0;
        keep_name(q->name, name);
        handle = em.add_queue(std::move(q));
        return handle != EM_QUEUE_UNDEF
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope, "em_queue_create: there are %zu queues already",
                                 event_machine::most_queues);
    }));
    return handle;
}

em_status_t em_queue_delete(em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_QUEUE_DELETE;
    return with_queue("em_queue_delete", scope, queue, [&](event_machine& em, event_queue& q) -> em_status_t {
        return em.delete_queue(q)
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_BAD_STATE, scope, "em_queue_delete: queue %p belongs to an execution object",
                                 static_cast<void*>(queue));
    });
}

em_status_t em_queue_set_context(em_queue_t queue, const void* context) {
    return with_queue("em_queue_set_context", EM_ESCOPE_QUEUE_SET_CONTEXT, queue,
                      [&](event_machine&, event_queue& q) -> em_status_t {
                          q.context.store(const_cast<void*>(context), memory_order::release);
                          return EM_OK;
                      });
}

void* em_queue_get_context(em_queue_t queue) {
    void* context = nullptr;
    static_cast<void>(with_queue("em_queue_get_context", EM_ESCOPE_QUEUE_GET_CONTEXT, queue,
                                 [&](event_machine&, event_queue& q) -> em_status_t {
                                     context = q.context.load(memory_order::acquire);
                                     return EM_OK;
                                 }));
    return context;
}
