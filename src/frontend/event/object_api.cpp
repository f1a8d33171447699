// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for execution objects.

#include <memory>
#include <utility>
#include <vector>

#include "frontend/event/kept_name.hpp"
#include "frontend/event/notices.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

// What is given to functions em_eo_create() and em_eo_create_multircv().
em_eo_t create(const char* function, em_escope_t scope, const char* name, const em_eo_multircv_param_t& p,
               em_receive_func_t receive) noexcept {
    em_eo_t handle = EM_EO_UNDEF;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        if (p.start == nullptr || p.stop == nullptr || (receive == nullptr && p.receive_multi == nullptr)) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "%s: there is no %s function", function,
                               p.start == nullptr  ? "start"
                               : p.stop == nullptr ? "stop"
                                                   : "receive");
        }
        if (p.max_events < 0) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "%s: max_events is %d", function, p.max_events);
        }
        auto eo = std::make_unique<execution_object>();
        eo->start = p.start;
        eo->local_start = p.local_start;
        eo->stop = p.stop;
        eo->local_stop = p.local_stop;
        eo->receive = receive;
        eo->receive_multi = p.receive_multi;
        eo->most_events = p.max_events != 0 ? static_cast<unsigned>(p.max_events) : EM_EO_MULTIRCV_MAX_EVENTS;
        eo->context = const_cast<void*>(p.eo_ctx);
        keep_name(eo->name, name);
        handle = em.add_object(std::move(eo));
        return handle != EM_EO_UNDEF
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there are %zu execution objects already", function,
                                 event_machine::most_objects);
    }));
    return handle;
}

} // namespace

em_eo_t em_eo_create(const char* name, em_start_func_t start, em_start_local_func_t local_start, em_stop_func_t stop,
                     em_stop_local_func_t local_stop, em_receive_func_t receive, const void* eo_ctx) {
    em_eo_multircv_param_t p{};
    p.start = start;
    p.local_start = local_start;
    p.stop = stop;
    p.local_stop = local_stop;
    p.max_events = 1;
    p.eo_ctx = eo_ctx;
    return create("em_eo_create", EM_ESCOPE_EO_CREATE, name, p, receive);
}

void em_eo_multircv_param_init(em_eo_multircv_param_t* param) {
    if (param == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_EO_MULTIRCV_PARAM_INIT,
                                      "em_eo_multircv_param_init: a null pointer"));
        return;
    }
    *param = em_eo_multircv_param_t{};
    param->max_events = EM_EO_MULTIRCV_MAX_EVENTS;
    param->internal_check = initialised;
}

em_eo_t em_eo_create_multircv(const char* name, const em_eo_multircv_param_t* param) {
    constexpr em_escope_t scope = EM_ESCOPE_EO_CREATE_MULTIRCV;
    if (param == nullptr || param->internal_check != initialised) {
        static_cast<void>(
            refuse_call(EM_ERR_NOT_INITIALIZED, scope,
                        "em_eo_create_multircv: em_eo_multircv_param_init() was not called for the parameters"));
        return EM_EO_UNDEF;
    }
    return create("em_eo_create_multircv", scope, name, *param, nullptr);
}

em_status_t em_eo_delete(em_eo_t handle) {
    constexpr em_escope_t scope = EM_ESCOPE_EO_DELETE;
    return with_object("em_eo_delete", scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        return em.delete_object(eo)
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_BAD_STATE, scope,
                                 "em_eo_delete: execution object '%s' is not stopped, or has queues", eo.name.data());
    });
}

namespace {

// Calls f(machine, object, queue, notifications).
template <class F>
em_status_t with_both(const char* function, em_escope_t scope, em_eo_t handle, em_queue_t queue, int num_notif,
                      const em_notif_t* table, F&& f) noexcept {
    return with_object(function, scope, handle, [&](event_machine&, execution_object& eo) -> em_status_t {
        return with_queue(function, scope, queue, [&](event_machine& em, event_queue& q) -> em_status_t {
            em_status_t status = EM_OK;
            std::vector<notice> then;
            return copy_notices(function, scope, num_notif, table, then, status) ? f(em, eo, q, then) : status;
        });
    });
}

em_status_t add_queue(const char* function, em_escope_t scope, em_eo_t handle, em_queue_t queue, int num_notif,
                      const em_notif_t* table) noexcept {
    return with_both(
        function, scope, handle, queue, num_notif, table,
        [&](event_machine& em, execution_object& eo, event_queue& q, std::vector<notice>& then) -> em_status_t {
            if (!q.is_received()) {
                return refuse_call(EM_ERR_BAD_TYPE, scope, "%s: queue %p is of type %u, from which nobody receives",
                                   function, static_cast<void*>(queue), q.type);
            }
            if (!em.give_queue(eo, q)) {
                return refuse_call(EM_ERR_BAD_STATE, scope,
                                   "%s: queue %p belongs to an execution object, or '%s' is being stopped", function,
                                   static_cast<void*>(queue), eo.name.data());
            }
            send_notices(then);
            return EM_OK;
        });
}

em_status_t remove_queue(const char* function, em_escope_t scope, em_eo_t handle, em_queue_t queue, int num_notif,
                         const em_notif_t* table, bool sync) noexcept {
    return with_both(
        function, scope, handle, queue, num_notif, table,
        [&](event_machine& em, execution_object& eo, event_queue& q, std::vector<notice>& then) -> em_status_t {
            em_status_t status = EM_OK;
            // Of an object whose stop function runs nobody receives.
            if (sync && !em.is_quiet(eo) && !may_wait(function, scope, status)) {
                return status;
            }
            const auto gone = std::make_shared<removal>();
            gone->then = std::move(then);
            if (!em.take_queue(eo, q, gone)) {
                return refuse_call(EM_ERR_BAD_STATE, scope,
                                   "%s: queue %p does not belong to execution object '%s', or is being removed",
                                   function, static_cast<void*>(queue), eo.name.data());
            }
            if (sync) {
                em.await_removal(*gone);
            }
            return EM_OK;
        });
}

em_status_t remove_queues(const char* function, em_escope_t scope, em_eo_t handle, int delete_queues, int num_notif,
                          const em_notif_t* table, bool sync) noexcept {
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        em_status_t status = EM_OK;
        const auto gone = std::make_shared<removal>();
        gone->deletes = delete_queues != EM_FALSE;
        if (!copy_notices(function, scope, num_notif, table, gone->then, status) ||
            (sync && !em.is_quiet(eo) && !may_wait(function, scope, status))) {
            return status;
        }
        em.take_queues(eo, gone);
        if (sync) {
            em.await_removal(*gone);
        }
        return EM_OK;
    });
}

em_status_t start(const char* function, em_escope_t scope, em_eo_t handle, em_status_t* result,
                  const em_eo_conf_t* conf, int num_notif, const em_notif_t* table, bool sync) noexcept {
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status) ||
            (sync && eo.local_start != nullptr && !may_wait(function, scope, status))) {
            return status;
        }
        if (!em.begin_start(eo, sync)) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "%s: execution object '%s' is started, or being stopped",
                               function, eo.name.data());
        }
        status = call_start(eo, conf);
        if (result != nullptr) {
            *result = status;
        }
        if (status != EM_OK) {
            em.fail_start(eo);
            return refuse_call(EM_ERR_OPERATION_FAILED, scope,
                               "%s: the start function of execution object '%s' returned %u", function, eo.name.data(),
                               status);
        }
        em.begin_local_starts(eo, std::move(then));
        if (!sync) {
            return EM_OK;
        }
        em.await_started(eo);
        return eo.local_status == EM_OK
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_OPERATION_FAILED, scope,
                                 "%s: the local start function of execution object '%s' returned %u on core %d",
                                 function, eo.name.data(), eo.local_status, eo.failed_core);
    });
}

em_status_t stop(const char* function, em_escope_t scope, em_eo_t handle, int num_notif, const em_notif_t* table,
                 bool sync) noexcept {
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status) ||
            (sync && !may_wait(function, scope, status))) {
            return status;
        }
        if (sync && this_event_thread.inside == &eo) { // the stop waits for the function, too
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "%s: inside of a function of execution object '%s' itself",
                               function, eo.name.data());
        }
        if (!em.stop(eo, std::move(then))) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "%s: execution object '%s' is not started", function,
                               eo.name.data());
        }
        if (sync) {
            em.await_stopped(eo);
        }
        return EM_OK;
    });
}

} // namespace

em_status_t em_eo_add_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]) {
    return add_queue("em_eo_add_queue", EM_ESCOPE_EO_ADD_QUEUE, eo, queue, num_notif, notif_tbl);
}

em_status_t em_eo_add_queue_sync(em_eo_t eo, em_queue_t queue) {
    return add_queue("em_eo_add_queue_sync", EM_ESCOPE_EO_ADD_QUEUE_SYNC, eo, queue, 0, nullptr);
}

em_status_t em_eo_remove_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]) {
    return remove_queue("em_eo_remove_queue", EM_ESCOPE_EO_REMOVE_QUEUE, eo, queue, num_notif, notif_tbl, false);
}

em_status_t em_eo_remove_queue_sync(em_eo_t eo, em_queue_t queue) {
    return remove_queue("em_eo_remove_queue_sync", EM_ESCOPE_EO_REMOVE_QUEUE_SYNC, eo, queue, 0, nullptr, true);
}

em_status_t em_eo_remove_queue_all(em_eo_t eo, int delete_queues, int num_notif, const em_notif_t notif_tbl[]) {
    return remove_queues("em_eo_remove_queue_all", EM_ESCOPE_EO_REMOVE_QUEUE_ALL, eo, delete_queues, num_notif,
                         notif_tbl, false);
}

em_status_t em_eo_remove_queue_all_sync(em_eo_t eo, int delete_queues) {
    return remove_queues("em_eo_remove_queue_all_sync", EM_ESCOPE_EO_REMOVE_QUEUE_ALL_SYNC, eo, delete_queues, 0,
                         nullptr, true);
}

em_status_t em_eo_start(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf, int num_notif,
                        const em_notif_t notif_tbl[]) {
    return start("em_eo_start", EM_ESCOPE_EO_START, eo, result, conf, num_notif, notif_tbl, false);
}

em_status_t em_eo_start_sync(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf) {
    return start("em_eo_start_sync", EM_ESCOPE_EO_START_SYNC, eo, result, conf, 0, nullptr, true);
}

em_status_t em_eo_stop(em_eo_t eo, int num_notif, const em_notif_t notif_tbl[]) {
    return stop("em_eo_stop", EM_ESCOPE_EO_STOP, eo, num_notif, notif_tbl, false);
}

em_status_t em_eo_stop_sync(em_eo_t eo) {
    return stop("em_eo_stop_sync", EM_ESCOPE_EO_STOP_SYNC, eo, 0, nullptr, true);
}

em_status_t em_eo_register_error_handler(em_eo_t handle, em_error_handler_t handler) {
    constexpr em_escope_t scope = EM_ESCOPE_EO_REGISTER_ERROR_HANDLER;
    return with_object(
        "em_eo_register_error_handler", scope, handle, [&](event_machine&, execution_object& eo) -> em_status_t {
            if (handler == nullptr) {
                return refuse_call(EM_ERR_BAD_POINTER, scope, "em_eo_register_error_handler: a null pointer");
            }
            eo.on_error.store(handler, memory_order::release);
            return EM_OK;
        });
}

em_status_t em_eo_unregister_error_handler(em_eo_t handle) {
    return with_object("em_eo_unregister_error_handler", EM_ESCOPE_EO_UNREGISTER_ERROR_HANDLER, handle,
                       [&](event_machine&, execution_object& eo) -> em_status_t {
                           eo.on_error.store(nullptr, memory_order::release);
                           return EM_OK;
                       });
}
