// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for the machine as a whole, its cores and its errors, but for those of
// dispatch_api.cpp.

#include <cstdarg>
#include <memory>
#include <new>
#include <system_error>

#include "frontend/event/alloc_wait.hpp"
#include "frontend/event/event_log.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/options.hpp"
#include "frontend/event/refuse.hpp"
#include "frontend/event/suspension.hpp"
#include "sched/entry.hpp"
#include "sched/team.hpp"

using namespace skerry::detail;

namespace {

void add_hooks(const em_conf_t& conf) noexcept {
    const auto add = [](hook kind, auto func) {
        if (func != nullptr) {
            static_cast<void>(the_event_hooks.add(kind, reinterpret_cast<event_hooks::function>(func)));
        }
    };
    add(hook::alloc, conf.api_hooks.alloc_hook);
    add(hook::free, conf.api_hooks.free_hook);
    add(hook::send, conf.api_hooks.send_hook);
    add(hook::to_idle, conf.idle_hooks.to_idle_hook);
    add(hook::to_active, conf.idle_hooks.to_active_hook);
    add(hook::while_idle, conf.idle_hooks.while_idle_hook);
}

} // namespace

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
    if (conf->thread_per_core == 0 || conf->core_count < 1 || conf->core_count > EM_MAX_CORES) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: thread_per_core is %d (not 0), core_count is %d (1 to %d)",
                           conf->thread_per_core, conf->core_count, EM_MAX_CORES);
    }
    if (em_core_mask_count(&conf->phys_mask) != conf->core_count) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: phys_mask has %d cores, core_count is %d",
                           em_core_mask_count(&conf->phys_mask), conf->core_count);
    }
    if ((conf->log.log_fn == nullptr) != (conf->log.vlog_fn == nullptr)) {
        return refuse_call(EM_ERR_BAD_POINTER, scope, "em_init: of log_fn and vlog_fn one is null");
    }
    em_core_mask_t cores{};
    em_core_mask_set_count(conf->core_count, &cores);
    if (((conf->input.input_poll_mask.bits | conf->output.output_drain_mask.bits) & ~cores.bits) != 0) {
        return refuse_call(EM_ERR_BAD_ARG, scope,
                           "em_init: input_poll_mask or output_drain_mask has a core that is not one of the %d",
                           conf->core_count);
    }
    if (const char* const wrong = wrong_with(conf->default_pool_cfg)) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "em_init: default_pool_cfg: %s", wrong);
    }
    skerry_em_options_t options;
    if (em_status_t status = EM_OK; !next_options("em_init", scope, options, status)) {
        return status;
    }
    try {
        auto em = std::make_unique<event_machine>(*conf, options);
        events_are_verified.store(options.esv != 0, memory_order::relaxed); // who sees the machine sees this
        event_machine::publish(em.release());
        log_events_by(conf->log.log_fn);
        add_hooks(*conf);
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
        try {
            em.add_fibers(core);
        } catch (const std::bad_alloc&) {
            self = {};
            em.remove_core(core);
            leave_team();
            throw;
        }
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
        if (self.core < 0 || self.dispatching || self.inside != nullptr || current_page != self.page ||
            on_fiber(em, self.core)) {
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "em_term_core: %s",
                               self.core < 0 ? "the calling thread is no core"
                                             : "inside of a receive function, a task or run()");
        }
        const int core = self.core;
        em.await_suspended();
        em.remove_fibers(core);
        em.remove_core(core); // while its place is there: it may run a stop function
        self = {};
        leave_team();
        return EM_OK;
    });
}

em_status_t em_term(const em_conf_t* /*conf*/) {
    constexpr em_escope_t scope = EM_ESCOPE_TERM;
    return with_machine("em_term", scope, [&](event_machine& em) -> em_status_t {
        if (const int inside = em.cores_inside()) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "em_term: %d cores have not called em_term_core()", inside);
        }
        em.timers().stop();
        waiting_calls.end(em); // it is published no more
        the_event_hooks.remove_all();
        log_events_by(nullptr);
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

uint16_t em_device_id() {
    const event_machine* const em = event_machine::instance();
    return em != nullptr ? em->conf().device_id : std::uint16_t{0};
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
