// SPDX-License-Identifier: Apache-2.0

// Rules 18 to 21 and 26: execution objects.

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <vector>

#include "ways.hpp"

namespace skerry::test {
namespace {

TEST_P(event_rules, r18_what_lies_in_a_queue_that_stops_is_freed_and_told_and_what_is_refused_is_still_the_senders) {
    constexpr std::uint32_t events = 8;
    std::atomic<int> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    cores machine(core_count(), events);
    const em_queue_group_t held = make_group(0);
    const em_eo_t eo = make_object(count);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC, held));
    const em_event_t e = make_event(7);
    const auto expect_refused = [&] {
        EXPECT_EQ(em_send(e, q), status_of(EM_ERR_BAD_STATE));
        expect_error(EM_ERR_BAD_STATE, "em_send: no execution object receives from queue");
        EXPECT_EQ(value_of(e), 7);
    };
    expect_refused();
    start_object(eo);
    send_value(0, q);
    send_value(1, q);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    expect_error(EM_ERR_BAD_STATE, "em_eo_stop: 2 events were freed, of queues from which nobody receives any more");
    EXPECT_EQ(free_events(events - 1), events - 1);
    expect_refused();
    start_object(eo);
    EXPECT_EQ(em_send(e, q), EM_OK);
    set_mask(held, all_cores());
    cores::until([&] { return received == 1; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(free_events(events), events);
}

struct starting {
    em_queue_t own = EM_QUEUE_UNDEF;
    em_queue_t other = EM_QUEUE_UNDEF;
    std::atomic<int> started{0}; // functions
    std::atomic<int> early{0};
    int functions = 0;
    log seen;
    log seen_by_other;
};
em_status_t start_and_send(void* context, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    starting& s = *static_cast<starting*>(context);
    for (int i = 0; i < 5; ++i) {
        send_value(i, s.own);
        send_value(i, s.other);
        dawdle(i);
    }
    ++s.started;
    return EM_OK;
}
em_status_t start_here(void* context, em_eo_t /*eo*/) {
    dawdle(em_core_id());
    ++static_cast<starting*>(context)->started;
    return EM_OK;
}
em_status_t stop_here(void* /*context*/, em_eo_t /*eo*/) { return EM_OK; }
void receive_started(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t queue, void* /*ctx*/) {
    starting& s = *static_cast<starting*>(context);
    s.early += s.started != s.functions ? 1 : 0;
    (queue == s.own ? s.seen : s.seen_by_other).add(free_value(event));
}

TEST_P(event_rules, r19_what_start_functions_send_arrives_behind_the_start_and_in_order) {
    starting s;
    s.functions = 1 + core_count();
    cores machine(core_count());
    s.other = make_receiver(receive_started, &s, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_HIGHEST).queue;
    const em_eo_t eo =
        em_eo_create("starting", start_and_send, start_here, stop_nothing, stop_here, receive_started, &s);
    s.own = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    start_object(eo);
    cores::until([&] { return s.seen.size() == 5 && s.seen_by_other.size() == 5; });
    EXPECT_EQ(s.early, 0);
    EXPECT_EQ(s.seen.all(), numbers_to(5));
    EXPECT_EQ(s.seen_by_other.all(), numbers_to(5));
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

struct stopping {
    std::atomic<bool> go{false};
    std::atomic<int> inside{0};
    std::atomic<int> local_stops{0};
    std::atomic<int> stops{0};
    std::atomic<int> early{0};
};
em_status_t start_each(void* /*context*/, em_eo_t /*eo*/) { return EM_OK; }
em_status_t stop_each(void* context, em_eo_t /*eo*/) {
    stopping& s = *static_cast<stopping*>(context);
    s.early += s.inside != 0 || s.stops != 0 ? 1 : 0;
    ++s.local_stops;
    return EM_OK;
}
em_status_t stop_all(void* context, em_eo_t /*eo*/) {
    stopping& s = *static_cast<stopping*>(context);
    s.early += s.inside != 0 ? 1 : 0;
    ++s.stops;
    return EM_OK;
}
void receive_until_go(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    stopping& s = *static_cast<stopping*>(context);
    em_free(event);
    ++s.inside;
    wait_for(s.go);
    dawdle(1);
    --s.inside;
}

TEST_P(event_rules, r20_the_notification_of_a_stop_comes_behind_the_last_receive_and_all_stop_functions) {
    stopping s;
    std::atomic<bool> told{false};
    std::atomic<int> local_stops{-1};
    receive_by tell = [&](em_event_t e, em_queue_t) {
        em_free(e);
        s.early += s.inside != 0 || s.stops != 1 ? 1 : 0;
        local_stops = s.local_stops.load();
        told = true;
    };
    cores machine(core_count());
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGHEST);
    const em_eo_t eo = em_eo_create("stopping", start_nothing, start_each, stop_all, stop_each, receive_until_go, &s);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    start_object(eo);
    for (int i = 0; i < core_count(); ++i) {
        send_value(i, q);
    }
    cores::until([&] { return s.inside == core_count(); });
    const em_notif_t then{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_stop(eo, 1, &then), EM_OK);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_STOPPING);
    s.go = true;
    cores::until([&] { return told.load(); });
    EXPECT_EQ(local_stops, core_count());
    EXPECT_EQ(s.early, 0);
}

// The first of each round keeps its core until the removal has begun.
TEST_P(event_rules, r21_behind_the_notification_of_a_removed_queue_nobody_receives_from_it) {
    constexpr int rounds = 5;
    std::atomic<bool> removed{false};
    std::atomic<bool> go{false};
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    receive_by check = [&](em_event_t e, em_queue_t) {
        em_free(e);
        wrong += removed ? 1 : 0;
        ++inside;
        em_atomic_processing_end();
        wait_for(go);
        dawdle(2);
        wrong += removed ? 1 : 0;
        --inside;
    };
    receive_by tell = [&](em_event_t e, em_queue_t) {
        em_free(e);
        removed = true;
    };
    cores machine(core_count());
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGHEST);
    const em_eo_t eo = make_object(check);
    start_object(eo);
    for (int round = 0; round < rounds; ++round) {
        const em_queue_t q =
            add_queue(eo, make_queue(round % 2 == 0 ? EM_QUEUE_TYPE_ATOMIC : EM_QUEUE_TYPE_PARALLEL_ORDERED));
        for (int i = 0; i < core_count(); ++i) {
            send_value(i, q);
        }
        cores::until([&] { return inside == core_count(); });
        const em_notif_t then{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF};
        ASSERT_EQ(em_eo_remove_queue(eo, q, 1, &then), EM_OK);
        EXPECT_FALSE(removed);
        go = true;
        cores::until([&] { return removed.load(); });
        EXPECT_EQ(inside, 0);
        ASSERT_EQ(em_queue_delete(q), EM_OK);
        go = removed = false;
    }
    EXPECT_EQ(wrong, 0);
}

std::atomic<int> handled{0};
em_status_t handle_for_object(em_eo_t /*eo*/, em_status_t /*error*/, em_escope_t /*scope*/, va_list /*args*/) {
    ++handled;
    return 4321;
}

TEST_P(event_rules, r26_an_objects_error_handler_goes_before_the_global_one_and_its_status_is_returned) {
    handled = 0;
    std::atomic<em_status_t> returned{EM_OK};
    std::atomic<int> received{0};
    receive_by fail = [&](em_event_t e, em_queue_t) {
        returned = em_send(e, EM_QUEUE_UNDEF);
        em_free(e);
        ++received;
    };
    cores machine(core_count());
    const receiver r = make_receiver(fail, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_eo_register_error_handler(r.eo, handle_for_object), EM_OK);
    send_value(0, r.queue);
    cores::until([&] { return received == 1; });
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(returned, 4321U);
    EXPECT_TRUE(take_errors().empty());
    ASSERT_EQ(em_eo_unregister_error_handler(r.eo), EM_OK);
    send_value(0, r.queue);
    cores::until([&] { return received == 2; });
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(returned, status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_send: there is no queue");
}

} // namespace
} // namespace skerry::test
