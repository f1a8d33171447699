// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for execution objects.

#include <memory>
#include <utility>
#include <vector>

#include "frontend/event/kept_name.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

em_eo_t em_eo_create(const char* name, em_start_func_t start, em_start_local_func_t local_start, em_stop_func_t stop,
                     em_stop_local_func_t local_stop, em_receive_func_t receive, const void* eo_ctx) {
    constexpr em_escope_t scope = EM_ESCOPE_EO_CREATE;
    em_eo_t handle = EM_EO_UNDEF;
    static_cast<void>(with_machine("em_eo_create", scope, [&](event_machine& em) -> em_status_t {
        if (start == nullptr || stop == nullptr || receive == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_eo_create: there is no %s function",
                               start == nullptr  ? "start"
                               : stop == nullptr ? "stop"
                                                 : "receive");
        }
        if (local_start != nullptr || local_stop != nullptr) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope,
                               "em_eo_create: functions for each core are not there yet");
        }
        auto eo = std::make_unique<execution_object>();
        eo->start = start;
        eo->stop = stop;
        eo->receive = receive;
        eo->context = const_cast<void*>(eo_ctx);
        keep_name(eo->name, name);
        handle = em.add_object(std::move(eo));
        return handle != EM_EO_UNDEF
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope, "em_eo_create: there are %zu execution objects already",
                                 event_machine::most_objects);
    }));
    return handle;
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

// A function that waits for other cores may not be called where they may wait for this one.
bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept {
    const event_machine& em = *event_machine::instance();
    if (current_page == nullptr || !em.waited_for(current_page->ctx)) {
        return true;
    }
    status = refuse_call(EM_ERR_BAD_CONTEXT, scope,
                         "%s: inside of a receive function or of a task that it has begun; take the one without _sync",
                         function);
    return false;
}

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
            if (em.take_queue(eo, q, std::move(then)) == event_machine::done::no) {
                return refuse_call(EM_ERR_BAD_STATE, scope,
                                   "%s: queue %p does not belong to execution object '%s', or is being removed",
                                   function, static_cast<void*>(queue), eo.name.data());
            }
            if (sync) {
                em.await_gone(q);
            }
            return EM_OK;
        });
}

em_status_t start(const char* function, em_escope_t scope, em_eo_t handle, em_status_t* result,
                  const em_eo_conf_t* conf, int num_notif, const em_notif_t* table) noexcept {
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status)) {
            return status;
        }
        if (!em.begin_start(eo)) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "%s: execution object '%s' is started, or being stopped",
                               function, eo.name.data());
        }
        event_thread& self = this_event_thread;
        std::vector<event_thread::later> later;
        std::vector<event_thread::later>* const outer = std::exchange(self.until_started, &later);
        execution_object* const around = std::exchange(self.inside, &eo);
        try {
            status = eo.start(eo.context, eo.handle, conf);
        } catch (...) { // of C++; the object is not started then, either
            status = EM_ERR_LIB_FAILED;
        }
        self.inside = around;
        self.until_started = outer;
        em.end_start(eo, status == EM_OK);
        if (result != nullptr) {
            *result = status;
        }
        for (const event_thread::later& l : later) {
            if (status != EM_OK || em_send(l.what->handle(), l.to) != EM_OK) {
                em_free(l.what->handle());
            }
        }
        if (status != EM_OK) {
            return refuse_call(EM_ERR_OPERATION_FAILED, scope,
                               "%s: the start function of execution object '%s' returned %u", function, eo.name.data(),
                               status);
        }
        send_notices(then);
        return EM_OK;
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
        if (em.stop(eo, std::move(then)) == event_machine::done::no) {
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

em_status_t em_eo_start(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf, int num_notif,
                        const em_notif_t notif_tbl[]) {
    return start("em_eo_start", EM_ESCOPE_EO_START, eo, result, conf, num_notif, notif_tbl);
}

em_status_t em_eo_start_sync(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf) {
    return start("em_eo_start_sync", EM_ESCOPE_EO_START_SYNC, eo, result, conf, 0, nullptr);
}

em_status_t em_eo_stop(em_eo_t eo, int num_notif, const em_notif_t notif_tbl[]) {
    return stop("em_eo_stop", EM_ESCOPE_EO_STOP, eo, num_notif, notif_tbl, false);
}

em_status_t em_eo_stop_sync(em_eo_t eo) {
    return stop("em_eo_stop_sync", EM_ESCOPE_EO_STOP_SYNC, eo, 0, nullptr, true);
}

em_eo_state_t em_eo_get_state(em_eo_t handle) {
    em_eo_state_t state = EM_EO_STATE_UNDEF;
    static_cast<void>(with_object("em_eo_get_state", EM_ESCOPE_EO_GET_STATE, handle,
                                  [&](event_machine& em, execution_object& eo) -> em_status_t {
                                      state = em.state_of(eo);
                                      return EM_OK;
                                  }));
    return state;
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
