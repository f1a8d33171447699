// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h with which queues are made, changed and emptied.

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "frontend/event/create_queue.hpp"
#include "frontend/event/kept_name.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

em_status_t check_flags(const char* function, em_escope_t scope, em_queue_type_t type,
                        const em_queue_conf_t* conf) noexcept {
    constexpr em_queue_flag_t promises = EM_QUEUE_FLAG_ENQ_NOT_MTSAFE | EM_QUEUE_FLAG_DEQ_NOT_MTSAFE;
    const em_queue_flag_t flags = conf != nullptr ? conf->flags & EM_QUEUE_FLAG_MASK : 0;
    if ((flags & (EM_QUEUE_FLAG_NONBLOCKING_LF | EM_QUEUE_FLAG_NONBLOCKING_WF)) != 0) {
        return refuse_call(EM_ERR_NOT_SUPPORTED, scope, "%s: flags 0x%x ask for a queue without locks", function,
                           flags);
    }
    return (flags & ~promises) == 0 && (flags == 0 || type == EM_QUEUE_TYPE_UNSCHEDULED)
               ? em_status_t{EM_OK}
               : refuse_call(EM_ERR_BAD_ARG, scope, "%s: flags 0x%x are not for queues of type %u", function, flags,
                             type);
}

em_status_t check_output(const char* function, em_escope_t scope, const em_queue_conf_t* conf, output& out) {
    if (conf == nullptr || conf->conf == nullptr || conf->conf_len < sizeof(em_output_queue_conf_t)) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: an output queue needs an em_output_queue_conf_t", function);
    }
    em_output_queue_conf_t given;
    std::memcpy(&given, conf->conf, sizeof given);
    if (given.output_fn == nullptr || (given.args_len != 0 && given.output_fn_args == nullptr)) {
        return refuse_call(EM_ERR_BAD_POINTER, scope,
                           "%s: an output queue without a function, or without its arguments", function);
    }
    out.function = given.output_fn;
    out.arguments = given.output_fn_args;
    if (given.args_len != 0) {
        out.copy.resize(given.args_len);
        std::memcpy(out.copy.data(), given.output_fn_args, given.args_len);
        out.arguments = out.copy.data();
    }
    return EM_OK;
}

// EM_OK, or it has said that the group or the priority does not fit the type.
em_status_t check_place(const char* function, em_escope_t scope, em_queue_type_t type, em_queue_prio_t prio,
                        em_queue_group_t group) noexcept {
    if (!is_scheduled(type) && group != EM_QUEUE_GROUP_UNDEF) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: queues of type %u have EM_QUEUE_GROUP_UNDEF", function, type);
    }
    if (type == EM_QUEUE_TYPE_UNSCHEDULED && prio != EM_QUEUE_PRIO_UNDEF) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: an unscheduled queue has EM_QUEUE_PRIO_UNDEF", function);
    }
    if (prio >= EM_QUEUE_PRIO_NUM && (is_scheduled(type) || prio != EM_QUEUE_PRIO_UNDEF)) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: priority %u is not from 0 to %d", function, prio,
                           EM_QUEUE_PRIO_NUM - 1);
    }
    return EM_OK;
}

} // namespace

em_status_t create_queue(const queue_wanted& w, em_queue_t& made) noexcept {
    return with_machine(w.function, w.scope, [&](event_machine& em) -> em_status_t {
        if (w.type == EM_QUEUE_TYPE_UNDEF || w.type > EM_QUEUE_TYPE_OUTPUT) {
            return refuse_call(EM_ERR_BAD_TYPE, w.scope, "%s: there is no type %u", w.function, w.type);
        }
        em_status_t status = check_place(w.function, w.scope, w.type, w.prio, w.group);
        status = status == EM_OK ? check_flags(w.function, w.scope, w.type, w.conf) : status;
        if (status != EM_OK) {
            return status;
        }
        queue_group* const group = em.group(w.group);
        if (is_scheduled(w.type) && group == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, w.scope, "%s: there is no queue group %p", w.function,
                               static_cast<void*>(w.group));
        }
        auto q = std::make_unique<event_queue>(w.type, group);
        q->priority = w.prio;
        q->most = w.conf != nullptr ? w.conf->min_events : 0;
        q->atomics = w.atomics;
        if (w.type == EM_QUEUE_TYPE_OUTPUT) {
            q->out = std::make_unique<output>();
            status = check_output(w.function, w.scope, w.conf, *q->out);
            if (status != EM_OK) {
                return status;
            }
        }
        keep_name(q->name, w.name);
        made = em.add_queue(std::move(q), number_of(w.handle));
        if (made != EM_QUEUE_UNDEF) {
            return EM_OK;
        }
        return w.handle == EM_QUEUE_UNDEF
                   ? refuse_call(EM_ERR_ALLOC_FAILED, w.scope, "%s: there are %zu queues already", w.function,
                                 event_machine::most_queues - EM_QUEUE_STATIC_NUM)
                   : refuse_call(EM_ERR_NOT_FREE, w.scope, "%s: queue %p is there already", w.function,
                                 static_cast<void*>(w.handle));
    });
}

em_status_t create_static_queue(const queue_wanted& w) noexcept {
    const std::size_t number = number_of(w.handle);
    em_queue_t made = EM_QUEUE_UNDEF;
    return number >= EM_QUEUE_STATIC_MIN && number <= EM_QUEUE_STATIC_MAX
               ? create_queue(w, made)
               : refuse_call(EM_ERR_BAD_ID, w.scope, "%s: handle %p is not from %d to %d", w.function,
                             static_cast<void*>(w.handle), int{EM_QUEUE_STATIC_MIN}, int{EM_QUEUE_STATIC_MAX});
}

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_queue_t em_queue_create(const char* name, em_queue_type_t type, em_queue_prio_t prio, em_queue_group_t group,
                           const em_queue_conf_t* conf) {
    em_queue_t made = EM_QUEUE_UNDEF;
    static_cast<void>(create_queue({.function = "em_queue_create",
                                    .scope = EM_ESCOPE_QUEUE_CREATE,
                                    .name = name,
                                    .type = type,
                                    .prio = prio,
                                    .group = group,
                                    .conf = conf},
                                   made));
    return made;
}

em_status_t em_queue_create_static(const char* name, em_queue_type_t type, em_queue_prio_t prio, em_queue_group_t group,
                                   em_queue_t queue, const em_queue_conf_t* conf) {
    return create_static_queue({.function = "em_queue_create_static",
                                .scope = EM_ESCOPE_QUEUE_CREATE_STATIC,
                                .name = name,
                                .type = type,
                                .prio = prio,
                                .group = group,
                                .conf = conf,
                                .handle = queue});
}

em_status_t em_queue_delete(em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_QUEUE_DELETE;
    return with_queue("em_queue_delete", scope, queue, [&](event_machine& em, event_queue& q) -> em_status_t {
        return em.delete_queue(q) ? em_status_t{EM_OK}
                                  : refuse_call(EM_ERR_BAD_STATE, scope,
                                                "em_queue_delete: queue %p belongs to an execution object, or a thread "
                                                "is in its output function",
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

namespace {

std::size_t dequeue(const char* function, em_escope_t scope, em_queue_t queue, std::span<em_event_t> to) noexcept {
    std::size_t n = 0;
    static_cast<void>(with_queue(function, scope, queue, [&](event_machine& em, event_queue& q) -> em_status_t {
        if (q.type != EM_QUEUE_TYPE_UNSCHEDULED) {
            return refuse_call(EM_ERR_BAD_TYPE, scope, "%s: queue %p is not unscheduled", function,
                               static_cast<void*>(queue));
        }
        n = em.dequeue(q, to);
        if (verifies()) {
            for (const em_event_t e : to.first(n)) {
                event::of(e)->state.note(event_call::dequeue);
            }
        }
        return EM_OK;
    }));
    return n;
}

} // namespace

em_event_t em_queue_dequeue(em_queue_t queue) {
    em_event_t event = EM_EVENT_UNDEF;
    static_cast<void>(dequeue("em_queue_dequeue", EM_ESCOPE_QUEUE_DEQUEUE, queue, {&event, 1}));
    return event;
}

int em_queue_dequeue_multi(em_queue_t queue, em_event_t events[], int num) {
    constexpr em_escope_t scope = EM_ESCOPE_QUEUE_DEQUEUE_MULTI;
    if (num < 0 || (num > 0 && events == nullptr)) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope, "em_queue_dequeue_multi: no room for %d events", num));
        return 0;
    }
    return static_cast<int>(dequeue("em_queue_dequeue_multi", scope, queue, {events, static_cast<std::size_t>(num)}));
}
