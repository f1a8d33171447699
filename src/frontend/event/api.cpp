// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h, but for those of dispatch.cpp: each looks at what it is given, and says what is
// wrong.

#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <event_machine.h>

#include "frontend/event/event_machine.hpp"
#include "frontend/event/kept_name.hpp"
#include "sched/entry.hpp"
#include "sched/team.hpp"

using namespace skerry::detail;

namespace {

constexpr std::uint32_t initialised = 0x534b6d21; // what the functions ..._init() leave in what they initialise

template <class... Values>
em_status_t refuse_call(em_status_t error, em_escope_t scope, const char* format, Values... values) noexcept {
    return event_error(error, scope, format, values...);
}

// Calls f(machine), or says that there is none; and that there is no memory if f finds none.
template <class F>
em_status_t with_machine(const char* function, em_escope_t scope, F&& f) noexcept {
    event_machine* const em = event_machine::instance();
    if (em == nullptr) {
        return refuse_call(EM_ERR_NOT_INITIALIZED, scope, "%s: em_init() was not called", function);
    }
    try {
        return f(*em);
    } catch (const std::bad_alloc&) {
        return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there is no memory", function);
    }
}

// The same for what a handle stands for.
template <class F>
em_status_t with_queue(const char* function, em_escope_t scope, em_queue_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        event_queue* const q = em.queue(handle);
        return q != nullptr ? f(em, *q)
                            : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", function,
                                          static_cast<void*>(handle));
    });
}

template <class F>
em_status_t with_object(const char* function, em_escope_t scope, em_eo_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        execution_object* const eo = em.object(handle);
        return eo != nullptr ? f(em, *eo)
                             : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no execution object %p", function,
                                           static_cast<void*>(handle));
    });
}

// Null: it is right.
const char* wrong_with(const em_pool_cfg_t& c) noexcept {
    if (c.internal_check != initialised) {
        return "em_pool_cfg_init() was not called for the configuration";
    }
    if (c.event_type != EM_EVENT_TYPE_SW && c.event_type != EM_EVENT_TYPE_PACKET) {
        return "the type of events is neither EM_EVENT_TYPE_SW nor EM_EVENT_TYPE_PACKET";
    }
    if (c.num_subpools < 1 || c.num_subpools > EM_MAX_SUBPOOLS) {
        return "a pool has 1 to 4 subpools";
    }
    for (int i = 0; i < c.num_subpools; ++i) {
        if (c.subpool[i].size == 0 || c.subpool[i].num == 0) {
            return "a subpool needs a size and a number of events";
        }
    }
    return nullptr;
}

// Errors: std::bad_alloc. False: it was said what is wrong.
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

// A function that waits for other cores may not be called where they may wait for this one.
bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept {
    const event_thread& self = this_event_thread;
    const bool in_a_task = current_page != nullptr && current_page != self.page;
    if (!self.dispatching && !in_a_task) {
        return true;
    }
    status = refuse_call(EM_ERR_BAD_CONTEXT, scope,
                         "%s: inside of a receive function or of a task; take the one without _sync", function);
    return false;
}

} // namespace

// --- beginning and end ----------------------------------------------------------------------------------------------

void em_conf_init(em_conf_t* conf) {
    if (conf == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_CONF_INIT, "em_conf_init: a null pointer"));
        return;
    }
    *conf = em_conf_t{};
    em_pool_cfg_init(&conf->default_pool_cfg);
    conf->internal_check = initialised;
}

em_status_t em_init(const em_conf_t* conf) {
    constexpr em_escope_t scope = EM_ESCOPE_INIT;
    if (conf == nullptr || conf->internal_check != initialised) {
        return refuse_call(EM_ERR_NOT_INITIALIZED, scope,
                           "em_init: em_conf_init() was not called for the configuration");
    }
    if (event_machine::instance() != nullptr) {
        return refuse_call(EM_ERR_BAD_STATE, scope, "em_init: it was called before, and em_term() was not");
    }
    if (conf->device_id != 0 || conf->process_per_core != 0) {
        return refuse_call(EM_ERR_NOT_SUPPORTED, scope, "em_init: %s",
                           conf->device_id != 0 ? "there is one device, 0" : "a core is a thread, never a process");
    }
    if (conf->event_timer != 0) {
        return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "em_init: timers are not there yet");
    }
    if (conf->thread_per_core == 0 || conf->core_count < 1 || conf->core_count > EM_MAX_CORES) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: thread_per_core is %d (not 0), core_count is %d (1 to %d)",
                           conf->thread_per_core, conf->core_count, EM_MAX_CORES);
    }
    if (em_core_mask_count(&conf->phys_mask) != conf->core_count) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: phys_mask has %d cores, core_count is %d",
                           em_core_mask_count(&conf->phys_mask), conf->core_count);
    }
    if (const char* const wrong = wrong_with(conf->default_pool_cfg)) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: default_pool_cfg: %s", wrong);
    }
    try {
        event_machine::publish(new event_machine(*conf));
    } catch (const std::bad_alloc&) {
        return refuse_call(EM_ERR_ALLOC_FAILED, scope, "em_init: there is no memory for the default pool");
    }
    return EM_OK;
}

em_status_t em_init_core() {
    constexpr em_escope_t scope = EM_ESCOPE_INIT_CORE;
    return with_machine("em_init_core", scope, [&](event_machine& em) -> em_status_t {
        event_thread& self = this_event_thread;
        if (self.core >= 0 || current_page != nullptr) {
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "em_init_core: %s",
                               self.core >= 0 ? "the calling thread is a core" : "inside of a task or of run()");
        }
        try {
            enter_default_team();
        } catch (const std::system_error& e) {
            return refuse_call(EM_ERR_OPERATION_FAILED, scope, "em_init_core: %s", e.what());
        }
        const int core = em.add_core();
        if (core < 0) {
            leave_team();
            return refuse_call(EM_ERR_TOO_LARGE, scope, "em_init_core: all %d cores have begun", em.core_count());
        }
        self = {};
        self.core = core;
        self.page = current_page;
        const worker& place = worker::of(*current_page);
        if (wait_observer* const to = place.home.observer()) { // a core's life is no task
            to->runs(place.slot, {});
        }
        return EM_OK;
    });
}

em_status_t em_term_core() {
    constexpr em_escope_t scope = EM_ESCOPE_TERM_CORE;
    return with_machine("em_term_core", scope, [&](event_machine& em) -> em_status_t {
        event_thread& self = this_event_thread;
        if (self.core < 0 || self.dispatching || current_page != self.page) {
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "em_term_core: %s",
                               self.core < 0 ? "the calling thread is no core"
                                             : "inside of a receive function, a task or run()");
        }
        self = {};
        leave_team();
        em.remove_core();
        return EM_OK;
    });
}

em_status_t em_term(const em_conf_t* /*conf*/) {
    constexpr em_escope_t scope = EM_ESCOPE_TERM;
    return with_machine("em_term", scope, [&](event_machine& em) -> em_status_t {
        if (const int inside = em.cores_inside()) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "em_term: %d cores have not called em_term_core()", inside);
        }
        event_machine::publish(nullptr);
        delete &em;
        return EM_OK;
    });
}

int em_core_id() { return this_event_thread.core; }

int em_core_count() {
    int count = 0;
    static_cast<void>(with_machine("em_core_count", EM_ESCOPE_CORE_COUNT, [&](event_machine& em) -> em_status_t {
        count = em.core_count();
        return EM_OK;
    }));
    return count;
}

// --- errors ---------------------------------------------------------------------------------------------------------

em_status_t em_register_error_handler(em_error_handler_t handler) {
    if (handler == nullptr) {
        return refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_REGISTER_ERROR_HANDLER,
                           "em_register_error_handler: a null pointer");
    }
    handle_event_errors(handler);
    return EM_OK;
}

em_status_t em_unregister_error_handler() {
    handle_event_errors(nullptr);
    return EM_OK;
}

void em_error(em_status_t error, em_escope_t scope, ...) {
    va_list args;
    va_start(args, scope);
    static_cast<void>(event_error_of_program(error, scope, args));
    va_end(args);
}

// --- pools and events -----------------------------------------------------------------------------------------------

void em_pool_cfg_init(em_pool_cfg_t* const pool_cfg) {
    if (pool_cfg == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_POOL_CFG_INIT, "em_pool_cfg_init: a null pointer"));
        return;
    }
    *pool_cfg = em_pool_cfg_t{};
    pool_cfg->event_type = EM_EVENT_TYPE_SW;
    pool_cfg->num_subpools = 1;
    pool_cfg->subpool[0].size = 256;
    pool_cfg->subpool[0].num = 1024;
    pool_cfg->internal_check = initialised;
}

em_pool_t em_pool_create(const char* name, em_pool_t pool, const em_pool_cfg_t* pool_cfg) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_CREATE;
    std::size_t number = 0;
    static_cast<void>(with_machine("em_pool_create", scope, [&](event_machine& em) -> em_status_t {
        if (const char* const wrong =
                pool_cfg != nullptr ? wrong_with(*pool_cfg) : "the configuration is a null pointer") {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_pool_create: %s", wrong);
        }
        number = em.add_pool(name, number_of(pool), *pool_cfg);
        return number != 0
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                 pool != EM_POOL_UNDEF ? "em_pool_create: the handle is no pool's (1 to %zu), or taken"
                                                       : "em_pool_create: there are %zu pools already",
                                 event_machine::most_pools);
    }));
    return handle_of<em_pool_t>(number);
}

em_status_t em_pool_delete(em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_DELETE;
    return with_machine("em_pool_delete", scope, [&](event_machine& em) -> em_status_t {
        if (em.pool(pool) == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "em_pool_delete: there is no pool %p", static_cast<void*>(pool));
        }
        const std::size_t used = em.remove_pool(number_of(pool));
        return used == 0 ? em_status_t{EM_OK}
                         : refuse_call(EM_ERR_NOT_FREE, scope, "em_pool_delete: %zu events are in use", used);
    });
}

em_event_t em_alloc(uint32_t size, em_event_type_t type, em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_ALLOC;
    event* e = nullptr;
    static_cast<void>(with_machine("em_alloc", scope, [&](event_machine& em) -> em_status_t {
        event_pool* const from = em.pool(pool);
        if (from == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "em_alloc: there is no pool %p", static_cast<void*>(pool));
        }
        if (const em_event_type_t major = em_get_type_major(type);
            major != EM_EVENT_TYPE_SW && (major != EM_EVENT_TYPE_PACKET || from->type() != EM_EVENT_TYPE_PACKET)) {
            return refuse_call(EM_ERR_BAD_TYPE, scope, "em_alloc: pool '%s' has no events of type 0x%x", from->name(),
                               type);
        }
        if (size > from->largest()) {
            return refuse_call(EM_ERR_TOO_LARGE, scope,
                               "em_alloc: the largest events of pool '%s' have %u bytes, not %u", from->name(),
                               from->largest(), size);
        }
        e = from->take(size, type);
        return e != nullptr ? em_status_t{EM_OK}
                            : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                          "em_alloc: no event of %u bytes is free in pool '%s'", size, from->name());
    }));
    return e != nullptr ? e->handle() : EM_EVENT_UNDEF;
}

void em_free(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_FREE, "em_free: no event"));
        return;
    }
    event& e = *event::of(handle);
    e.pool->give(e);
}

em_status_t em_send(em_event_t handle, em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_SEND;
    const auto no_queue = [&] {
        return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", "em_send", static_cast<void*>(queue));
    };
    return with_machine("em_send", scope, [&](event_machine& em) -> em_status_t {
        if (em.queue(queue) == nullptr) { // or it is removed from here on, before the lock
            return no_queue();
        }
        if (handle == EM_EVENT_UNDEF) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_send: no event");
        }
        event& e = *event::of(handle);
        if (this_event_thread.until_started != nullptr) {
            this_event_thread.until_started->push_back({&e, queue});
            return EM_OK;
        }
        switch (em.send(e, queue)) {
        case event_machine::sent::yes: return EM_OK;
        case event_machine::sent::no_queue: return no_queue();
        case event_machine::sent::full:
            return refuse_call(EM_ERR_OPERATION_FAILED, scope, "em_send: queue %p holds as many events as it may",
                               static_cast<void*>(queue));
        case event_machine::sent::not_open: break;
        }
        return refuse_call(EM_ERR_BAD_STATE, scope, "em_send: no execution object receives from queue %p now",
                           static_cast<void*>(queue));
    });
}

void* em_event_pointer(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_POINTER, "em_event_pointer: no event"));
        return nullptr;
    }
    return event::of(handle)->bytes();
}

uint32_t em_event_get_size(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_GET_SIZE, "em_event_get_size: no event"));
        return 0;
    }
    return event::of(handle)->size;
}

em_event_type_t em_event_get_type(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_GET_TYPE, "em_event_get_type: no event"));
        return EM_EVENT_TYPE_UNDEF;
    }
    return event::of(handle)->type;
}

// --- queues ---------------------------------------------------------------------------------------------------------

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

// --- execution objects ----------------------------------------------------------------------------------------------

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

em_status_t add_queue(const char* function, em_escope_t scope, em_eo_t handle, em_queue_t queue, int num_notif,
                      const em_notif_t* table) noexcept {
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        event_queue* const q = em.queue(queue);
        if (q == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", function, static_cast<void*>(queue));
        }
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status)) {
            return status;
        }
        if (!em.give_queue(eo, *q)) {
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
    return with_object(function, scope, handle, [&](event_machine& em, execution_object& eo) -> em_status_t {
        event_queue* const q = em.queue(queue);
        if (q == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", function, static_cast<void*>(queue));
        }
        em_status_t status = EM_OK;
        std::vector<notice> then;
        if (!copy_notices(function, scope, num_notif, table, then, status) ||
            // Of an object whose stop function runs nobody receives.
            (sync && !em.is_quiet(eo) && !may_wait(function, scope, status))) {
            return status;
        }
        if (em.take_queue(eo, *q, std::move(then)) == event_machine::done::no) {
            return refuse_call(EM_ERR_BAD_STATE, scope,
                               "%s: queue %p does not belong to execution object '%s', or is being removed", function,
                               static_cast<void*>(queue), eo.name.data());
        }
        if (sync) {
            em.await_gone(*q);
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
