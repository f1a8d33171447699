// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h with which cores dispatch, and those for callbacks around receive functions.

#include <cstring>

#include "frontend/event/dispatch.hpp"
#include "frontend/event/refuse.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

constexpr std::uint64_t patience_ns = 10'000'000; // of a core that shall not dispatch for ever

bool chosen(std::uint64_t mask, int core) noexcept { return mask == 0 || (mask >> core & 1) != 0; }

em_dispatch_results_t run(event_machine& em, const dispatch_limits& limits, const em_dispatch_opt_t* opt) noexcept {
    const int core = this_event_thread.core;
    const bool polls = em.conf().input.input_poll_fn != nullptr && chosen(em.conf().input.input_poll_mask.bits, core) &&
                       (opt == nullptr || !opt->skip_input_poll);
    const bool drains = em.conf().output.output_drain_fn != nullptr &&
                        chosen(em.conf().output.output_drain_mask.bits, core) &&
                        (opt == nullptr || !opt->skip_output_drain);
    const dispatch_settings settings{limits, opt != nullptr ? opt->burst_size : unsigned{EM_SCHED_MULTI_MAX_BURST},
                                     polls, drains};
    core_fibers* const fibers = em.fibers(core);
    return fibers != nullptr ? fibers->dispatch.run(settings) : dispatcher(em, core, nullptr).run(settings);
}

// EM_OK, or it has said why the calling thread may not dispatch.
em_status_t may_dispatch(const char* function, em_escope_t scope) noexcept {
    const event_thread& self = this_event_thread;
    const event_machine* const em = event_machine::instance();
    if (em == nullptr || self.core < 0) {
        return refuse_call(EM_ERR_BAD_CONTEXT, scope, "%s: the calling thread is no core", function);
    }
    if (self.dispatching || self.inside != nullptr || current_page != self.page || on_fiber(*em, self.core)) {
        return refuse_call(EM_ERR_BAD_CONTEXT, scope, "%s: inside of a receive function, a task or run()", function);
    }
    return EM_OK;
}

em_status_t dispatch_for(const char* function, em_escope_t scope, const em_dispatch_duration_t* duration,
                         const em_dispatch_opt_t* opt, em_dispatch_results_t* results) noexcept {
    constexpr unsigned all = 2 * EM_DISPATCH_DURATION_NO_EVENTS_NS - 1;
    if (duration == nullptr) {
        return refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function);
    }
    unsigned select = 0; // C may have written what is no value of the type
    static_assert(sizeof select == sizeof duration->select);
    std::memcpy(&select, &duration->select, sizeof select);
    if ((select & ~all) != 0) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: select is 0x%x, which has bits of no duration", function,
                           select);
    }
    if (opt != nullptr && opt->internal_check != initialised) {
        return refuse_call(EM_ERR_NOT_INITIALIZED, scope, "%s: em_dispatch_opt_init() was not called for the options",
                           function);
    }
    if (opt != nullptr && (opt->burst_size == 0 || opt->burst_size > EM_SCHED_MULTI_MAX_BURST)) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: burst_size is %d, not from 1 to %d", function,
                           int{opt->burst_size}, EM_SCHED_MULTI_MAX_BURST);
    }
    dispatch_limits limits;
    bool none = false;
    const auto take = [&](unsigned flag, std::uint64_t given, std::uint64_t& to) {
        if ((select & flag) != 0) {
            none = none || given == 0;
            to = given;
        }
    };
    take(EM_DISPATCH_DURATION_ROUNDS, duration->rounds, limits.rounds);
    take(EM_DISPATCH_DURATION_NS, duration->ns, limits.ns);
    take(EM_DISPATCH_DURATION_EVENTS, duration->events, limits.events);
    take(EM_DISPATCH_DURATION_NO_EVENTS_ROUNDS, duration->no_events.rounds, limits.idle_rounds);
    take(EM_DISPATCH_DURATION_NO_EVENTS_NS, duration->no_events.ns, limits.idle_ns);
    if (none) {
        return refuse_call(EM_ERR_BAD_ARG, scope, "%s: a duration that is selected is 0", function);
    }
    if ((select & (EM_DISPATCH_DURATION_ROUNDS | EM_DISPATCH_DURATION_NO_EVENTS_ROUNDS)) != 0) {
        limits.wait_ns = opt != nullptr ? opt->wait_ns : 0;
    } // else rounds do not count, and a core that waits need not make them
    if (const em_status_t status = may_dispatch(function, scope); status != EM_OK) {
        return status;
    }
    const em_dispatch_results_t did = run(*event_machine::instance(), limits, opt);
    if (results != nullptr) {
        *results = did;
    }
    return EM_OK;
}

// f(machine) for a callback; false: it could not.
template <class F>
em_status_t change_callbacks(const char* function, em_escope_t scope, const void* callback, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        return callback == nullptr ? refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function) : f(em);
    });
}

template <class Function>
em_status_t add_callback(const char* function, em_escope_t scope, callbacks<Function> event_machine::* table,
                         Function f) noexcept {
    return change_callbacks(function, scope, reinterpret_cast<const void*>(f), [&](event_machine& em) -> em_status_t {
        if (!(em.*table).add(f)) {
            return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there are %d callbacks already", function,
                               EM_CALLBACKS_MAX);
        }
        em.show_watchers();
        return EM_OK;
    });
}

template <class Function>
em_status_t remove_callback(const char* function, em_escope_t scope, callbacks<Function> event_machine::* table,
                            Function f) noexcept {
    return change_callbacks(function, scope, reinterpret_cast<const void*>(f), [&](event_machine& em) -> em_status_t {
        return (em.*table).remove(f)
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_NOT_FOUND, scope, "%s: the callback is not registered", function);
    });
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void em_dispatch_opt_init(em_dispatch_opt_t* opt) {
    if (opt == nullptr) {
        static_cast<void>(
            refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_DISPATCH_OPT_INIT, "em_dispatch_opt_init: a null pointer"));
        return;
    }
    *opt = em_dispatch_opt_t{};
    opt->burst_size = EM_SCHED_MULTI_MAX_BURST;
    opt->internal_check = initialised;
}

std::uint64_t em_dispatch(std::uint64_t rounds) {
    if (may_dispatch("em_dispatch", EM_ESCOPE_DISPATCH) != EM_OK) {
        return 0;
    }
    dispatch_limits limits;
    if (rounds != 0) {
        limits.rounds = rounds;
        limits.idle_rounds = 1;
        limits.wait_ns = patience_ns;
    }
    return run(*event_machine::instance(), limits, nullptr).events;
}

em_status_t em_dispatch_duration(const em_dispatch_duration_t* duration, const em_dispatch_opt_t* opt,
                                 em_dispatch_results_t* results) {
    return dispatch_for("em_dispatch_duration", EM_ESCOPE_DISPATCH_DURATION, duration, opt, results);
}

em_status_t em_dispatch_ns(std::uint64_t ns, const em_dispatch_opt_t* opt, em_dispatch_results_t* results) {
    em_dispatch_duration_t duration{};
    duration.select = EM_DISPATCH_DURATION_NS;
    duration.ns = ns;
    return dispatch_for("em_dispatch_ns", EM_ESCOPE_DISPATCH_NS, &duration, opt, results);
}

em_status_t em_dispatch_events(std::uint64_t events, const em_dispatch_opt_t* opt, em_dispatch_results_t* results) {
    em_dispatch_duration_t duration{};
    duration.select = EM_DISPATCH_DURATION_EVENTS;
    duration.events = events;
    return dispatch_for("em_dispatch_events", EM_ESCOPE_DISPATCH_EVENTS, &duration, opt, results);
}

em_status_t em_dispatch_rounds(std::uint64_t rounds, const em_dispatch_opt_t* opt, em_dispatch_results_t* results) {
    em_dispatch_duration_t duration{};
    duration.select = EM_DISPATCH_DURATION_ROUNDS;
    duration.rounds = rounds;
    return dispatch_for("em_dispatch_rounds", EM_ESCOPE_DISPATCH_ROUNDS, &duration, opt, results);
}

em_status_t em_dispatch_register_enter_cb(em_dispatch_enter_func_t func) {
    return add_callback("em_dispatch_register_enter_cb", EM_ESCOPE_DISPATCH_REGISTER_ENTER_CB, &event_machine::enters,
                        func);
}

em_status_t em_dispatch_unregister_enter_cb(em_dispatch_enter_func_t func) {
    return remove_callback("em_dispatch_unregister_enter_cb", EM_ESCOPE_DISPATCH_UNREGISTER_ENTER_CB,
                           &event_machine::enters, func);
}

em_status_t em_dispatch_register_exit_cb(em_dispatch_exit_func_t func) {
    return add_callback("em_dispatch_register_exit_cb", EM_ESCOPE_DISPATCH_REGISTER_EXIT_CB, &event_machine::exits,
                        func);
}

em_status_t em_dispatch_unregister_exit_cb(em_dispatch_exit_func_t func) {
    return remove_callback("em_dispatch_unregister_exit_cb", EM_ESCOPE_DISPATCH_UNREGISTER_EXIT_CB,
                           &event_machine::exits, func);
}
