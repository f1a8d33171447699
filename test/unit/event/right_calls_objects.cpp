// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <vector>

#include "functions.hpp"

namespace skerry::test {

namespace {

em_status_t error_of_object(em_eo_t /*eo*/, em_status_t error, em_escope_t /*scope*/, va_list /*args*/) {
    return error;
}

// An execution object that is not started, with a queue.
em_queue_t given(full_core& c) {
    EXPECT_EQ(em_eo_add_queue_sync(c.spare_eo, c.spare_queue), EM_OK);
    return c.spare_queue;
}
// It has no queue any more.
bool has_none(em_eo_t eo) {
    unsigned count = 1;
    return em_eo_queue_get_first(&count, eo) == EM_QUEUE_UNDEF && count == 0;
}
// An event group of one event, which is received.
bool counted(full_core& c) {
    told notice(c);
    const auto then = c.do_this;
    c.do_this = [](em_event_t e, em_queue_t) { em_free(e); };
    EXPECT_EQ(em_event_group_apply(c.group, 1, 1, &notice.then), EM_OK);
    EXPECT_EQ(em_send_group(make_event(), c.here.queue, c.group), EM_OK);
    full_core::dispatch(1);
    c.do_this = then;
    return notice.comes();
}
// A timeout that is set for in an hour, and what f says of it.
template <class F>
bool with_set(full_core& c, F&& f) {
    EXPECT_EQ(em_tmo_set_rel(c.once, hour, make_event(3)), EM_OK);
    const bool right = f(c.once);
    em_event_t e = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_cancel(c.once, &e), EM_OK);
    em_free(e);
    return right;
}
// What f says of an event that a periodic timeout has sent, which is acknowledged by then.
template <class F>
bool with_expired(full_core& c, F&& f) {
    em_event_t came = EM_EVENT_UNDEF;
    c.do_this = [&](em_event_t e, em_queue_t) { came = e; };
    EXPECT_EQ(em_tmo_set_periodic(c.often, 0, ms, make_event(3)), EM_OK);
    full_core::dispatch(1);
    const bool right = f(came);
    em_event_t none = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_delete(c.often, &none), EM_OK);
    em_free(came);
    return right;
}

const right_calls all = {
    // execution objects
    {"em_eo_create", [](full_core& c) { return make_object(c.receives, "more") != EM_EO_UNDEF; }},
    {"em_eo_multircv_param_init",
     [](full_core&) {
         em_eo_multircv_param_t p;
         em_eo_multircv_param_init(&p);
         return p.receive_multi == nullptr;
     }},
    {"em_eo_create_multircv",
     [](full_core&) {
         em_eo_multircv_param_t p;
         em_eo_multircv_param_init(&p);
         p.start = start_nothing;
         p.stop = stop_nothing;
         p.receive_multi = [](void*, em_event_t events[], int n, em_queue_t, void*) { em_free_multi(events, n); };
         return em_eo_create_multircv("more", &p) != EM_EO_UNDEF;
     }},
    {"em_eo_delete",
     [](full_core& c) { return em_eo_delete(c.spare_eo) == EM_OK && em_eo_find("spare") == EM_EO_UNDEF; }},
    {"em_eo_get_name", [](full_core& c) { return name_of(em_eo_get_name, c.spare_eo) == "spare"; }},
    {"em_eo_find", [](full_core& c) { return em_eo_find("spare") == c.spare_eo; }},
    {"em_eo_add_queue",
     [](full_core& c) {
         told notice(c);
         return em_eo_add_queue(c.spare_eo, c.spare_queue, 1, &notice.then) == EM_OK && notice.comes();
     }},
    {"em_eo_add_queue_sync", [](full_core& c) { return given(c) == c.spare_queue && !has_none(c.spare_eo); }},
    {"em_eo_remove_queue",
     [](full_core& c) {
         told notice(c);
         return em_eo_remove_queue(c.spare_eo, given(c), 1, &notice.then) == EM_OK && notice.comes() &&
                has_none(c.spare_eo);
     }},
    {"em_eo_remove_queue_sync",
     [](full_core& c) { return em_eo_remove_queue_sync(c.spare_eo, given(c)) == EM_OK && has_none(c.spare_eo); }},
    {"em_eo_remove_queue_all",
     [](full_core& c) {
         told notice(c);
         given(c);
         return em_eo_remove_queue_all(c.spare_eo, 0, 1, &notice.then) == EM_OK && notice.comes() &&
                has_none(c.spare_eo);
     }},
    {"em_eo_remove_queue_all_sync",
     [](full_core& c) {
         given(c);
         return em_eo_remove_queue_all_sync(c.spare_eo, 0) == EM_OK && has_none(c.spare_eo);
     }},
    {"em_eo_register_error_handler",
     [](full_core& c) { return em_eo_register_error_handler(c.spare_eo, error_of_object) == EM_OK; }},
    {"em_eo_unregister_error_handler",
     [](full_core& c) {
         return em_eo_register_error_handler(c.spare_eo, error_of_object) == EM_OK &&
                em_eo_unregister_error_handler(c.spare_eo) == EM_OK;
     }},
    {"em_eo_start",
     [](full_core& c) {
         told notice(c);
         em_status_t result = EM_ERR;
         return em_eo_start(c.spare_eo, &result, nullptr, 1, &notice.then) == EM_OK && notice.comes() &&
                em_eo_get_state(c.spare_eo) == EM_EO_STATE_RUNNING;
     }},
    {"em_eo_start_sync",
     [](full_core& c) {
         return em_eo_start_sync(c.spare_eo, nullptr, nullptr) == EM_OK &&
                em_eo_get_state(c.spare_eo) == EM_EO_STATE_RUNNING;
     }},
    {"em_eo_stop",
     [](full_core& c) {
         told notice(c);
         return em_eo_start_sync(c.spare_eo, nullptr, nullptr) == EM_OK &&
                em_eo_stop(c.spare_eo, 1, &notice.then) == EM_OK && notice.comes() &&
                em_eo_get_state(c.spare_eo) == EM_EO_STATE_CREATED;
     }},
    {"em_eo_stop_sync",
     [](full_core& c) {
         return em_eo_stop_sync(c.here.eo) == EM_OK && em_eo_get_state(c.here.eo) == EM_EO_STATE_CREATED;
     }},
    {"em_eo_current",
     [](full_core& c) { return received(c, [&](em_event_t) { return em_eo_current() == c.here.eo; }); }},
    {"em_eo_get_context", [](full_core& c) { return em_eo_get_context(c.spare_eo) == &c.receives; }},
    {"em_eo_get_state", [](full_core& c) { return em_eo_get_state(c.spare_eo) == EM_EO_STATE_CREATED; }},
    {"em_eo_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_eo_get_first(&count) == c.here.eo && count == 2;
     }},
    {"em_eo_get_next",
     [](full_core& c) {
         return gone_through(em_eo_get_first(nullptr), em_eo_get_next) == std::vector{c.here.eo, c.spare_eo};
     }},
    {"em_eo_queue_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_eo_queue_get_first(&count, c.here.eo) == c.here.queue && count == 1;
     }},
    {"em_eo_queue_get_next",
     [](full_core& c) {
         return gone_through(em_eo_queue_get_first(nullptr, c.here.eo), em_eo_queue_get_next) ==
                std::vector{c.here.queue};
     }},

    // event groups
    {"em_event_group_create", [](full_core&) { return em_event_group_create() != EM_EVENT_GROUP_UNDEF; }},
    {"em_event_group_delete", [](full_core& c) { return em_event_group_delete(c.group) == EM_OK; }},
    {"em_event_group_apply", [](full_core& c) { return counted(c); }},
    {"em_event_group_increment",
     [](full_core& c) {
         told notice(c);
         const auto then = c.do_this;
         bool right = em_event_group_apply(c.group, 1, 1, &notice.then) == EM_OK;
         c.do_this = [&](em_event_t e, em_queue_t) {
             right = right && em_event_group_increment(1) == EM_OK &&
                     em_send_group(make_event(), c.here.queue, em_event_group_current()) == EM_OK;
             c.do_this = [](em_event_t second, em_queue_t) { em_free(second); };
             em_free(e);
         };
         right = right && em_send_group(make_event(), c.here.queue, c.group) == EM_OK;
         full_core::dispatch(2);
         c.do_this = then;
         return right && notice.comes();
     }},
    {"em_event_group_is_ready", [](full_core& c) { return em_event_group_is_ready(c.group) == EM_TRUE; }},
    {"em_event_group_current",
     [](full_core& c) {
         em_event_group_t current = EM_EVENT_GROUP_UNDEF;
         c.do_this = [&](em_event_t e, em_queue_t) {
             current = em_event_group_current();
             em_free(e);
         };
         EXPECT_EQ(em_event_group_apply(c.group, 1, 0, nullptr), EM_OK);
         EXPECT_EQ(em_send_group(make_event(), c.here.queue, c.group), EM_OK);
         full_core::dispatch(1);
         return current == c.group;
     }},
    {"em_send_group", [](full_core& c) { return counted(c); }},
    {"em_send_group_multi",
     [](full_core& c) {
         EXPECT_EQ(em_event_group_apply(c.group, 1, 0, nullptr), EM_OK);
         const em_event_t e = make_event();
         const int sent = em_send_group_multi(&e, 1, c.here.queue, c.group);
         full_core::dispatch(1);
         return sent == 1 && em_event_group_is_ready(c.group) == EM_TRUE;
     }},
    {"em_event_group_processing_end",
     [](full_core& c) {
         bool right = false;
         c.do_this = [&](em_event_t e, em_queue_t) {
             em_event_group_processing_end();
             right = em_event_group_is_ready(c.group) == EM_TRUE;
             em_free(e);
         };
         EXPECT_EQ(em_event_group_apply(c.group, 1, 0, nullptr), EM_OK);
         EXPECT_EQ(em_send_group(make_event(), c.here.queue, c.group), EM_OK);
         full_core::dispatch(1);
         return right;
     }},
    {"em_event_group_assign",
     [](full_core& c) {
         EXPECT_EQ(em_event_group_apply(c.group, 1, 0, nullptr), EM_OK);
         return received(c,
                         [&](em_event_t) {
                             return em_event_group_assign(c.group) == EM_OK && em_event_group_current() == c.group;
                         }) &&
                em_event_group_is_ready(c.group) == EM_TRUE;
     }},
    {"em_event_group_abort",
     [](full_core& c) {
         return em_event_group_apply(c.group, 1, 0, nullptr) == EM_OK && em_event_group_abort(c.group) == EM_OK &&
                em_event_group_is_ready(c.group) == EM_TRUE;
     }},
    {"em_event_group_get_notif",
     [](full_core& c) {
         told notice(c);
         em_notif_t seen{};
         const bool right = em_event_group_apply(c.group, 1, 1, &notice.then) == EM_OK &&
                            em_event_group_get_notif(c.group, 1, &seen) == 1 && seen.queue == c.here.queue;
         em_free(seen.event);
         return right && em_event_group_abort(c.group) == EM_OK;
     }},
    {"em_event_group_get_first",
     [](full_core& c) {
         unsigned count = 0;
         return em_event_group_get_first(&count) == c.group && count == 1;
     }},
    {"em_event_group_get_next",
     [](full_core& c) {
         return gone_through(em_event_group_get_first(nullptr), em_event_group_get_next) == std::vector{c.group};
     }},

    // timers
    {"em_timer_attr_init",
     [](full_core&) {
         em_timer_attr_t attr;
         em_timer_attr_init(&attr);
         return attr.num_tmo != 0;
     }},
    {"em_timer_capability",
     [](full_core&) {
         em_timer_capability_t can{};
         return em_timer_capability(&can, EM_TIMER_CLKSRC_DEFAULT) == EM_OK && can.max_timers != 0;
     }},
    {"em_timer_res_capability",
     [](full_core&) {
         em_timer_res_param_t resolution{};
         resolution.res_ns = ms;
         return em_timer_res_capability(&resolution, EM_TIMER_CLKSRC_DEFAULT) == EM_OK && resolution.max_tmo > ms;
     }},
    {"em_timer_create", [](full_core&) { return make_timer() != EM_TIMER_UNDEF; }},
    {"em_timer_delete",
     [](full_core&) {
         const em_timer_t more = make_timer();
         em_timer_t found = EM_TIMER_UNDEF;
         return em_timer_delete(more) == EM_OK && em_timer_get_all(&found, 1) == 1 && found != more;
     }},
    {"em_timer_current_tick",
     [](full_core& c) {
         const em_timer_tick_t before = em_timer_current_tick(c.timer);
         return before != 0 && em_timer_current_tick(c.timer) >= before;
     }},
    {"em_timer_get_freq", [](full_core& c) { return em_timer_get_freq(c.timer) == 1'000'000'000; }},
    {"em_timer_tick_to_ns", [](full_core& c) { return em_timer_tick_to_ns(c.timer, ms) == ms; }},
    {"em_timer_ns_to_tick", [](full_core& c) { return em_timer_ns_to_tick(c.timer, ms) == ms; }},
    {"em_timer_get_attr",
     [](full_core& c) {
         em_timer_attr_t attr{};
         return em_timer_get_attr(c.timer, &attr) == EM_OK && attr.num_tmo != 0;
     }},
    {"em_timer_get_all",
     [](full_core& c) {
         em_timer_t found = EM_TIMER_UNDEF;
         return em_timer_get_all(&found, 1) == 1 && found == c.timer;
     }},
    {"em_timer_to_u64", [](full_core& c) { return em_timer_to_u64(c.timer) != 0; }},
    {"em_tmo_create",
     [](full_core& c) { return em_tmo_create(c.timer, EM_TMO_FLAG_ONESHOT, c.here.queue) != EM_TMO_UNDEF; }},
    {"em_tmo_create_arg",
     [](full_core& c) {
         em_tmo_args_t args{};
         return em_tmo_create_arg(c.timer, EM_TMO_FLAG_ONESHOT, c.here.queue, &args) != EM_TMO_UNDEF;
     }},
    {"em_tmo_delete",
     [](full_core& c) {
         em_event_t left = EM_EVENT_UNDEF;
         return em_tmo_set_rel(c.once, hour, make_event(3)) == EM_OK && em_tmo_delete(c.once, &left) == EM_OK &&
                free_value(left) == 3;
     }},
    {"em_tmo_set_abs",
     [](full_core& c) {
         told notice(c);
         return em_tmo_set_abs(c.once, em_timer_current_tick(c.timer) + ms, notice.then.event) == EM_OK &&
                notice.comes();
     }},
    {"em_tmo_set_rel",
     [](full_core& c) {
         told notice(c);
         return em_tmo_set_rel(c.once, ms, notice.then.event) == EM_OK && notice.comes();
     }},
    {"em_tmo_set_periodic",
     [](full_core& c) { return with_expired(c, [](em_event_t e) { return value_of(e) == 3; }); }},
    {"em_tmo_cancel", [](full_core& c) { return with_set(c, [](em_tmo_t) { return true; }); }},
    {"em_tmo_ack",
     [](full_core& c) {
         em_event_t came = EM_EVENT_UNDEF;
         c.do_this = [&](em_event_t e, em_queue_t) { came = e; };
         bool right = em_tmo_set_periodic(c.often, 0, ms, make_event(3)) == EM_OK;
         full_core::dispatch(1);
         right = right && em_tmo_ack(c.often, came) == EM_OK;
         full_core::dispatch(1);
         return right && free_value(came) == 3;
     }},
    {"em_tmo_get_state",
     [](full_core& c) {
         return em_tmo_get_state(c.once) == EM_TMO_STATE_IDLE &&
                with_set(c, [](em_tmo_t t) { return em_tmo_get_state(t) == EM_TMO_STATE_ACTIVE; });
     }},
    {"em_tmo_get_stats",
     [](full_core& c) {
         em_tmo_stats_t stats{1, 1, 1};
         return em_tmo_get_stats(c.often, &stats) == EM_OK && stats.num_acks == 0;
     }},
    {"em_tmo_get_type",
     [](full_core& c) {
         return with_expired(c,
                             [](em_event_t e) { return em_tmo_get_type(e, nullptr, false) == EM_TMO_TYPE_PERIODIC; });
     }},
    {"em_tmo_get_timer", [](full_core& c) { return em_tmo_get_timer(c.once) == c.timer; }},
    {"em_tmo_to_u64", [](full_core& c) { return em_tmo_to_u64(c.once) != em_tmo_to_u64(c.often); }},
};

} // namespace

const right_calls& calls_of_objects() { return all; }

} // namespace skerry::test
