// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for timers.

#include <algorithm>
#include <system_error>

#include "base/port/clock.hpp"
#include "frontend/event/refuse.hpp"

using namespace skerry::detail;

namespace {

constexpr std::uint32_t usual_timeouts = 1024;
constexpr std::uint64_t usual_resolution_ns = 100'000;

em_timer_res_param_t limits(std::uint64_t resolution_ns) noexcept {
    return {EM_TIMER_CLKSRC_DEFAULT, resolution_ns, event_timers::ticks_per_second / resolution_ns,
            event_timers::least_ns, event_timers::greatest_ns};
}

em_status_t refuse_timer(const char* function, em_escope_t scope, em_timer_t timer) noexcept {
    return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no timer %p", function, static_cast<void*>(timer));
}

// What a function for a timeout returns. What is a matter of time alone calls no handler.
em_status_t status_of(event_timers::done result, const char* function, em_escope_t scope, em_tmo_t timeout) noexcept {
    void* const shown = static_cast<void*>(timeout);
    switch (result) {
    case event_timers::done::yes: return EM_OK;
    case event_timers::done::too_near: return EM_ERR_TOONEAR;
    case event_timers::done::canceled: return EM_ERR_CANCELED;
    case event_timers::done::too_far:
        return refuse_call(EM_ERR_TOOFAR, scope, "%s: it is beyond max_tmo of the timer of timeout %p", function,
                           shown);
    case event_timers::done::wrong_kind:
        return refuse_call(EM_ERR_BAD_CONTEXT, scope,
                           "%s: timeout %p is of the other kind (EM_TMO_FLAG_ONESHOT, EM_TMO_FLAG_PERIODIC)", function,
                           shown);
    case event_timers::done::wrong_state:
        return refuse_call(EM_ERR_BAD_STATE, scope,
                           "%s: the state of timeout %p does not allow it: see em_tmo_get_state()", function, shown);
    default: return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no timeout %p", function, shown);
    }
}

// Null: a timer can be that way.
const char* wrong_with(const em_timer_attr_t* attr) noexcept {
    if (attr == nullptr || attr->internal_check != initialised) {
        return "em_timer_attr_init() was not called for the attributes";
    }
    if ((attr->resparam.res_ns == 0) == (attr->resparam.res_hz == 0)) {
        return "of res_ns and res_hz one is 0, and the other is not";
    }
    if (attr->num_tmo == 0) {
        return "num_tmo is 0";
    }
    return nullptr;
}

// Calls f(timers, event) if there is an event of the caller's, which is so no longer unless f fails.
template <class F>
em_status_t with_event(event_call call, em_escope_t scope, em_tmo_t timeout, em_event_t e, F&& f) noexcept {
    return with_machine(name_of(call), scope, [&](event_machine& em) -> em_status_t {
        giving_away giving;
        em_status_t status = EM_OK;
        event* const given = given_away(call, scope, e, giving, status);
        if (given == nullptr) {
            return status;
        }
        const event_timers::done result = f(em.timers(), given->handle());
        if (result != event_timers::done::yes) {
            giving.take_back();
        }
        return status_of(result, name_of(call), scope, timeout);
    });
}

// Of functions that give an event back.
template <class F>
em_status_t with_place(const char* function, em_escope_t scope, em_tmo_t timeout, em_event_t* cur_event,
                       F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        if (cur_event == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function);
        }
        *cur_event = EM_EVENT_UNDEF;
        return status_of(f(em.timers()), function, scope, timeout);
    });
}

// The value for a timer that exists, or 0.
std::uint64_t of_timer(const char* function, em_escope_t scope, em_timer_t timer, std::uint64_t value) noexcept {
    std::uint64_t result = 0;
    static_cast<void>(with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        if (!em.timers().exists(timer)) {
            return refuse_timer(function, scope, timer);
        }
        result = value;
        return EM_OK;
    }));
    return result;
}

em_tmo_t create_timeout(const char* function, em_escope_t scope, em_timer_t timer, em_tmo_flag_t flags,
                        em_queue_t queue) noexcept {
    em_tmo_t made = EM_TMO_UNDEF;
    static_cast<void>(with_queue(function, scope, queue, [&](event_machine& em, event_queue& q) -> em_status_t {
        const bool periodic = (flags & EM_TMO_FLAG_PERIODIC) != 0;
        if (flags != EM_TMO_FLAG_ONESHOT &&
            (static_cast<unsigned>(flags) | EM_TMO_FLAG_NOSKIP) != (EM_TMO_FLAG_PERIODIC | EM_TMO_FLAG_NOSKIP)) {
            return refuse_call(EM_ERR_BAD_ARG, scope,
                               "%s: flags 0x%x are neither EM_TMO_FLAG_ONESHOT nor EM_TMO_FLAG_PERIODIC, with "
                               "EM_TMO_FLAG_NOSKIP or without",
                               function, static_cast<unsigned>(flags));
        }
        if (!q.scheduled()) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "%s: queue %p is not scheduled", function,
                               static_cast<void*>(queue));
        }
        switch (em.timers().add(timer, periodic, (flags & EM_TMO_FLAG_NOSKIP) == 0, queue, made)) {
        case event_timers::done::yes: return EM_OK;
        case event_timers::done::too_many:
            return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: timer %p has as many timeouts as its num_tmo", function,
                               static_cast<void*>(timer));
        default: return refuse_timer(function, scope, timer);
        }
    }));
    return made;
}

// What there is to know of a timeout; false: it was said that there is none.
bool look_at(const char* function, em_escope_t scope, em_tmo_t timeout, event_timers::view& v,
             em_status_t& status) noexcept {
    status = with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        return status_of(em.timers().look_at(timeout, v), function, scope, timeout);
    });
    return v.timer != EM_TIMER_UNDEF;
}

} // namespace

// --- timers ---------------------------------------------------------------------------------------------------------

void em_timer_attr_init(em_timer_attr_t* tmr_attr) {
    if (tmr_attr != nullptr) {
        *tmr_attr = em_timer_attr_t{};
        tmr_attr->resparam = limits(usual_resolution_ns);
        tmr_attr->resparam.res_hz = 0;
        tmr_attr->num_tmo = usual_timeouts;
        tmr_attr->internal_check = initialised;
    }
}

em_status_t em_timer_capability(em_timer_capability_t* capa, em_timer_clksrc_t clk_src) {
    if (capa == nullptr) {
        return EM_ERR_BAD_POINTER;
    }
    if (clk_src != EM_TIMER_CLKSRC_DEFAULT) {
        return EM_ERR_NOT_SUPPORTED;
    }
    *capa = em_timer_capability_t{};
    capa->max_timers = event_timers::most_timers;
    capa->max_res = capa->max_tmo = limits(event_timers::least_ns);
    return EM_OK;
}

em_status_t em_timer_res_capability(em_timer_res_param_t* res, em_timer_clksrc_t clk_src) {
    if (res == nullptr) {
        return EM_ERR_BAD_POINTER;
    }
    if ((res->res_ns == 0) == (res->max_tmo == 0)) {
        return EM_ERR_BAD_ARG;
    }
    if (clk_src != EM_TIMER_CLKSRC_DEFAULT || (res->res_ns != 0 && res->res_ns < event_timers::least_ns) ||
        res->max_tmo > event_timers::greatest_ns) {
        return EM_ERR_NOT_SUPPORTED;
    }
    const std::uint64_t most = res->max_tmo != 0 ? res->max_tmo : event_timers::greatest_ns;
    *res = limits(res->res_ns != 0 ? res->res_ns : event_timers::least_ns);
    res->max_tmo = most;
    return EM_OK;
}

em_timer_t em_timer_create(const em_timer_attr_t* tmr_attr) {
    constexpr em_escope_t scope = EM_ESCOPE_TIMER_CREATE;
    em_timer_t made = EM_TIMER_UNDEF;
    static_cast<void>(with_machine("em_timer_create", scope, [&](event_machine& em) -> em_status_t {
        if (em.conf().event_timer == 0) {
            return refuse_call(EM_ERR_NOT_INITIALIZED, scope, "em_timer_create: event_timer of em_conf_t is 0");
        }
        if (tmr_attr != nullptr && (tmr_attr->flags & EM_TIMER_FLAG_RING) != 0) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "em_timer_create: timer rings are not there yet");
        }
        if (const char* const wrong = wrong_with(tmr_attr)) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_timer_create: %s", wrong);
        }
        const em_timer_res_param_t& res = tmr_attr->resparam;
        if (res.clk_src != EM_TIMER_CLKSRC_DEFAULT || (res.res_ns != 0 && res.res_ns < event_timers::least_ns) ||
            res.res_hz > event_timers::ticks_per_second / event_timers::least_ns ||
            res.min_tmo < event_timers::least_ns || res.max_tmo > event_timers::greatest_ns) {
            return refuse_call(EM_ERR_NOT_SUPPORTED, scope,
                               "em_timer_create: the resolution, the limits or the clock are beyond what "
                               "em_timer_capability() says");
        }
        em_timer_attr_t attr = *tmr_attr;
        attr.name[EM_TIMER_NAME_LEN - 1] = '\0';
        try {
            made = em.timers().add_timer(attr);
        } catch (const std::system_error& e) {
            return refuse_call(EM_ERR_LIB_FAILED, scope, "em_timer_create: %s", e.what());
        }
        return made != EM_TIMER_UNDEF
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope, "em_timer_create: there are %zu timers already",
                                 event_timers::most_timers);
    }));
    return made;
}

em_status_t em_timer_delete(em_timer_t tmr) {
    constexpr em_escope_t scope = EM_ESCOPE_TIMER_DELETE;
    return with_machine("em_timer_delete", scope, [&](event_machine& em) -> em_status_t {
        switch (em.timers().remove_timer(tmr)) {
        case event_timers::done::yes: return EM_OK;
        case event_timers::done::in_use:
            return refuse_call(EM_ERR_BAD_STATE, scope, "em_timer_delete: timer %p has timeouts",
                               static_cast<void*>(tmr));
        default: return refuse_timer("em_timer_delete", scope, tmr);
        }
    });
}

em_timer_tick_t em_timer_current_tick(em_timer_t tmr) {
    return of_timer("em_timer_current_tick", EM_ESCOPE_TIMER_CUR_TICK, tmr, skerry::port::now_ns());
}

uint64_t em_timer_get_freq(em_timer_t tmr) {
    return of_timer("em_timer_get_freq", EM_ESCOPE_TIMER_GET_FREQ, tmr, event_timers::ticks_per_second);
}

uint64_t em_timer_tick_to_ns(em_timer_t tmr, em_timer_tick_t ticks) {
    return of_timer("em_timer_tick_to_ns", EM_ESCOPE_TIMER_TICK_TO_NS, tmr, ticks);
}

em_timer_tick_t em_timer_ns_to_tick(em_timer_t tmr, uint64_t ns) {
    return of_timer("em_timer_ns_to_tick", EM_ESCOPE_TIMER_NS_TO_TICK, tmr, ns);
}

em_status_t em_timer_get_attr(em_timer_t tmr, em_timer_attr_t* tmr_attr) {
    constexpr em_escope_t scope = EM_ESCOPE_TIMER_GET_ATTR;
    return with_machine("em_timer_get_attr", scope, [&](event_machine& em) -> em_status_t {
        if (tmr_attr == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_timer_get_attr: a null pointer");
        }
        return em.timers().attributes(tmr, *tmr_attr) == event_timers::done::yes
                   ? em_status_t{EM_OK}
                   : refuse_timer("em_timer_get_attr", scope, tmr);
    });
}

int em_timer_get_all(em_timer_t* tmr_list, int max) {
    std::size_t count = 0;
    static_cast<void>(with_machine("em_timer_get_all", EM_ESCOPE_TIMER_GET_ALL, [&](event_machine& em) -> em_status_t {
        count = em.timers().all(tmr_list, tmr_list != nullptr ? static_cast<std::size_t>(std::max(max, 0)) : 0);
        return EM_OK;
    }));
    return static_cast<int>(count);
}

uint64_t em_timer_to_u64(em_timer_t timer) { return number_of(timer); }

// --- timeouts -------------------------------------------------------------------------------------------------------

em_tmo_t em_tmo_create(em_timer_t tmr, em_tmo_flag_t flags, em_queue_t queue) {
    return create_timeout("em_tmo_create", EM_ESCOPE_TMO_CREATE, tmr, flags, queue);
}

em_tmo_t em_tmo_create_arg(em_timer_t tmr, em_tmo_flag_t flags, em_queue_t queue, em_tmo_args_t* /*args*/) {
    return create_timeout("em_tmo_create_arg", EM_ESCOPE_TMO_CREATE_ARG, tmr, flags, queue);
}

em_status_t em_tmo_delete(em_tmo_t tmo, em_event_t* cur_event) {
    return with_place("em_tmo_delete", EM_ESCOPE_TMO_DELETE, tmo, cur_event,
                      [&](event_timers& all) { return all.remove(tmo, *cur_event); });
}

em_status_t em_tmo_set_abs(em_tmo_t tmo, em_timer_tick_t ticks_abs, em_event_t tmo_ev) {
    return with_event(
        event_call::tmo_set_abs, EM_ESCOPE_TMO_SET_ABS, tmo, tmo_ev,
        [&](event_timers& all, em_event_t e) { return all.set(tmo, event_timers::when::at, ticks_abs, e); });
}

em_status_t em_tmo_set_rel(em_tmo_t tmo, em_timer_tick_t ticks_rel, em_event_t tmo_ev) {
    return with_event(
        event_call::tmo_set_rel, EM_ESCOPE_TMO_SET_REL, tmo, tmo_ev,
        [&](event_timers& all, em_event_t e) { return all.set(tmo, event_timers::when::after, ticks_rel, e); });
}

em_status_t em_tmo_set_periodic(em_tmo_t tmo, em_timer_tick_t start_abs, em_timer_tick_t period, em_event_t tmo_ev) {
    return with_event(event_call::tmo_set_periodic, EM_ESCOPE_TMO_SET_PERIODIC, tmo, tmo_ev,
                      [&](event_timers& all, em_event_t e) { return all.set_periodic(tmo, start_abs, period, e); });
}

em_status_t em_tmo_cancel(em_tmo_t tmo, em_event_t* cur_event) {
    return with_place("em_tmo_cancel", EM_ESCOPE_TMO_CANCEL, tmo, cur_event,
                      [&](event_timers& all) { return all.cancel(tmo, *cur_event); });
}

em_status_t em_tmo_ack(em_tmo_t tmo, em_event_t next_tmo_ev) {
    return with_event(event_call::tmo_ack, EM_ESCOPE_TMO_ACK, tmo, next_tmo_ev,
                      [&](event_timers& all, em_event_t e) { return all.acknowledge(tmo, e); });
}

em_tmo_state_t em_tmo_get_state(em_tmo_t tmo) {
    event_timers::view v;
    em_status_t status = EM_OK;
    static_cast<void>(look_at("em_tmo_get_state", EM_ESCOPE_TMO_GET_STATE, tmo, v, status));
    return v.state;
}

em_status_t em_tmo_get_stats(em_tmo_t tmo, em_tmo_stats_t* stat) {
    event_timers::view v;
    em_status_t status = EM_OK;
    if (look_at("em_tmo_get_stats", EM_ESCOPE_TMO_GET_STATS, tmo, v, status) && stat != nullptr) {
        *stat = v.stats;
    }
    return status;
}

em_timer_t em_tmo_get_timer(em_tmo_t tmo) {
    event_timers::view v;
    em_status_t status = EM_OK;
    static_cast<void>(look_at("em_tmo_get_timer", EM_ESCOPE_TMO_GET_TIMER, tmo, v, status));
    return v.timer;
}

em_tmo_type_t em_tmo_get_type(em_event_t handle, em_tmo_t* tmo, bool reset) {
    event* const e = owned("em_tmo_get_type", EM_ESCOPE_TMO_GET_TYPE, handle);
    if (e == nullptr) {
        return EM_TMO_TYPE_NONE;
    }
    timeout_note& note = e->timeout;
    const timeout_note found = reset ? std::exchange(note, {}) : note;
    if (tmo != nullptr) {
        *tmo = handle_of<em_tmo_t>(std::size_t{found.number});
    }
    return found.number == 0 ? EM_TMO_TYPE_NONE : found.periodic ? EM_TMO_TYPE_PERIODIC : EM_TMO_TYPE_ONESHOT;
}

uint64_t em_tmo_to_u64(em_tmo_t tmo) { return number_of(tmo); }

// --- timer rings: not there yet -------------------------------------------------------------------------------------

em_status_t em_timer_ring_attr_init(em_timer_attr_t* /*ring_attr*/, em_timer_clksrc_t /*clk_src*/, uint64_t /*base_hz*/,
                                    uint64_t /*max_mul*/, uint64_t /*res_ns*/) {
    return EM_ERR_NOT_IMPLEMENTED;
}

em_status_t em_timer_ring_capability(em_timer_ring_param_t* /*ring*/) { return EM_ERR_NOT_IMPLEMENTED; }

em_timer_t em_timer_ring_create(const em_timer_attr_t* /*ring_attr*/) {
    static_cast<void>(refuse_call(EM_ERR_NOT_IMPLEMENTED, EM_ESCOPE_TIMER_RING_CREATE,
                                  "em_timer_ring_create: timer rings are not there yet"));
    return EM_TIMER_UNDEF;
}

em_status_t em_tmo_set_periodic_ring(em_tmo_t /*tmo*/, em_timer_tick_t /*start_abs*/, uint64_t /*multiplier*/,
                                     em_event_t /*tmo_ev*/) {
    return refuse_call(EM_ERR_NOT_IMPLEMENTED, EM_ESCOPE_TMO_SET_PERIODIC_RING,
                       "em_tmo_set_periodic_ring: timer rings are not there yet");
}

void* em_tmo_get_userptr(em_event_t /*event*/, em_tmo_t* tmo) {
    if (tmo != nullptr) {
        *tmo = EM_TMO_UNDEF;
    }
    return nullptr;
}
