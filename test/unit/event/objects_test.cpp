// SPDX-License-Identifier: Apache-2.0

// Execution objects and queues through their lives.

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

struct counts {
    std::atomic<int> started{0};
    std::atomic<int> stopped{0};
    std::atomic<int> received{0};
    std::atomic<bool> hold{false}; // receive functions stay inside
    std::atomic<int> inside{0};
    em_status_t start_returns = EM_OK;
    em_queue_t own = EM_QUEUE_UNDEF; // the start function sends an event there
};

em_status_t start_counted(void* context, em_eo_t /*eo*/, const em_eo_conf_t* conf) {
    counts& c = *static_cast<counts*>(context);
    ++c.started;
    if (conf != nullptr) {
        c.started += 10 * static_cast<int>(conf->conf_len);
    }
    if (c.own != EM_QUEUE_UNDEF) {
        EXPECT_EQ(em_send(make_event(), c.own), EM_OK);
    }
    return c.start_returns;
}

em_status_t stop_counted(void* context, em_eo_t /*eo*/) {
    counts& c = *static_cast<counts*>(context);
    EXPECT_EQ(c.inside, 0) << "stopped while a core receives";
    ++c.stopped;
    return EM_OK;
}

void receive_counted(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    counts& c = *static_cast<counts*>(context);
    em_free(event);
    ++c.inside;
    wait_for(c.hold, false);
    --c.inside;
    ++c.received;
}

em_eo_t make(counts& c) {
    return em_eo_create("counted", start_counted, nullptr, stop_counted, nullptr, receive_counted, &c);
}

// A started object with a queue, from which a core receives until c.hold is false.
receiver hold_a_core(counts& c) {
    c.hold = true;
    const receiver r{make(c), make_queue()};
    EXPECT_EQ(em_eo_add_queue_sync(r.eo, r.queue), EM_OK);
    EXPECT_EQ(em_eo_start_sync(r.eo, nullptr, nullptr), EM_OK);
    EXPECT_EQ(em_send(make_event(), r.queue), EM_OK);
    cores::until([&] { return c.inside == 1; });
    return r;
}

TEST(objects, what_a_start_function_sends_arrives_after_it) {
    cores machine(2);
    counts c;
    const em_eo_t eo = make(c);
    c.own = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, c.own), EM_OK);
    const em_eo_conf_t conf{3, nullptr};
    em_status_t result = EM_ERROR;
    ASSERT_EQ(em_eo_start_sync(eo, &result, &conf), EM_OK);
    EXPECT_EQ(result, static_cast<em_status_t>(EM_OK));
    cores::until([&] { return c.received == 1; });
    EXPECT_EQ(c.started, 31);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_RUNNING);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    EXPECT_EQ(c.stopped, 1);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    ASSERT_EQ(em_eo_remove_queue_sync(eo, c.own), EM_OK);
    ASSERT_EQ(em_queue_delete(c.own), EM_OK);
    ASSERT_EQ(em_eo_delete(eo), EM_OK);
}

TEST(objects, a_start_function_that_fails_starts_nothing_and_loses_no_event) {
    cores machine(1, 1);
    counts c;
    c.start_returns = 77;
    const em_eo_t eo = make(c);
    c.own = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, c.own), EM_OK);
    em_status_t result = EM_OK;
    EXPECT_EQ(em_eo_start_sync(eo, &result, nullptr), status_of(EM_ERR_OPERATION_FAILED));
    EXPECT_EQ(result, 77U);
    const std::vector<error_seen> seen = take_errors();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].text, "em_eo_start_sync: the start function of execution object 'counted' returned 77");
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    const em_event_t again = make_event(); // the pool's only one has come back
    ASSERT_NE(again, EM_EVENT_UNDEF);
    em_free(again);
}

em_status_t start_throws(void* /*context*/, em_eo_t /*eo*/, const em_eo_conf_t* /*conf*/) {
    throw std::runtime_error("not today");
}

TEST(objects, a_start_function_that_throws_starts_nothing) {
    cores machine(1);
    counts c;
    const em_eo_t eo = em_eo_create("thrown", start_throws, nullptr, stop_counted, nullptr, receive_counted, &c);
    EXPECT_EQ(em_eo_start_sync(eo, nullptr, nullptr), status_of(EM_ERR_OPERATION_FAILED));
    EXPECT_EQ(take_errors().size(), 1U);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
    // What this thread sends goes at once again.
    const receiver r = make_receiver(receive_counted, &c, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    cores::until([&] { return c.received == 1; });
}

struct own_queue {
    std::atomic<bool> hold{true};
    std::atomic<int> inside{0};
    std::atomic<em_status_t> removed{EM_ERROR};
    em_queue_t queue = EM_QUEUE_UNDEF;
};
em_status_t stop_removes(void* context, em_eo_t eo) {
    own_queue& o = *static_cast<own_queue*>(context);
    o.removed = em_eo_remove_queue_sync(eo, o.queue);
    return EM_OK;
}
void receive_until_let(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    own_queue& o = *static_cast<own_queue*>(context);
    em_free(event);
    o.inside = 1;
    wait_for(o.hold, false);
}

TEST(objects, a_stop_function_removes_its_queues_on_whichever_core) {
    cores machine(1);
    own_queue o;
    const em_eo_t eo = em_eo_create("own", start_nothing, nullptr, stop_removes, nullptr, receive_until_let, &o);
    o.queue = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, o.queue), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_send(make_event(), o.queue), EM_OK);
    cores::until([&] { return o.inside == 1; });
    ASSERT_EQ(em_eo_stop(eo, 0, nullptr), EM_OK);
    o.hold = false; // now the core that received runs the stop function
    cores::until([&] { return em_eo_get_state(eo) == EM_EO_STATE_CREATED; });
    EXPECT_EQ(o.removed, static_cast<em_status_t>(EM_OK));
    EXPECT_EQ(em_eo_delete(eo), EM_OK);
}

TEST(objects, a_stop_is_over_when_the_last_core_has_left) {
    cores machine(2);
    counts c;
    const auto [eo, q] = hold_a_core(c);
    counts told;
    const receiver to = make_receiver(receive_counted, &told, EM_QUEUE_TYPE_ATOMIC);
    const em_notif_t when{make_event(), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_stop(eo, 1, &when), EM_OK);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_STOPPING);
    EXPECT_EQ(c.stopped, 0);
    EXPECT_EQ(told.received, 0);
    c.hold = false;
    cores::until([&] { return told.received == 1; });
    EXPECT_EQ(c.stopped, 1);
    EXPECT_EQ(em_eo_get_state(eo), EM_EO_STATE_CREATED);
}

TEST(objects, a_notice_that_nobody_receives_is_freed) {
    cores machine(1, 1);
    counts c;
    const em_eo_t eo = make(c);
    const em_queue_t q = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, q), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    const em_notif_t to_itself{make_event(), q, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_stop(eo, 1, &to_itself), EM_OK);
    EXPECT_EQ(take_errors().at(0).text, "em_send: no execution object receives from queue 0x100 now");
    const em_event_t again = make_event(); // the pool's only one has come back
    ASSERT_NE(again, EM_EVENT_UNDEF);
    em_free(again);
}

TEST(objects, events_for_an_object_that_is_not_started_stay_the_senders_and_queued_ones_are_freed) {
    cores machine(1, 3);
    counts c;
    c.hold = true;
    const em_eo_t eo = make(c);
    const em_queue_t q = make_queue(EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_eo_add_queue_sync(eo, q), EM_OK);
    const em_event_t first = make_event();
    EXPECT_EQ(em_send(first, q), status_of(EM_ERR_BAD_STATE));
    EXPECT_EQ(take_errors().at(0).text, "em_send: no execution object receives from queue 0x100 now");
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_send(first, q), EM_OK); // it was the sender's still
    cores::until([&] { return c.inside == 1; });
    ASSERT_EQ(em_send(make_event(), q), EM_OK);
    ASSERT_EQ(em_send(make_event(), q), EM_OK);
    ASSERT_EQ(em_eo_stop(eo, 0, nullptr), EM_OK);
    std::vector<em_event_t> all = {make_event(), make_event(), make_event()}; // two came back, and what is received
    EXPECT_NE(all[0], EM_EVENT_UNDEF);
    EXPECT_NE(all[1], EM_EVENT_UNDEF);
    c.hold = false;
    cores::until([&] { return em_eo_get_state(eo) == EM_EO_STATE_CREATED; });
    EXPECT_EQ(c.received, 1);
    for (const em_event_t e : all) {
        em_free(e);
    }
}

TEST(objects, after_a_queue_is_removed_nobody_receives_from_it) {
    cores machine(2);
    counts c;
    const auto [eo, q] = hold_a_core(c);
    std::thread opens([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        c.hold = false;
    });
    ASSERT_EQ(em_eo_remove_queue_sync(eo, q), EM_OK);
    EXPECT_EQ(c.inside, 0);
    opens.join();
    const em_event_t e = make_event();
    EXPECT_EQ(em_send(e, q), status_of(EM_ERR_BAD_STATE));
    em_free(e);
    ASSERT_EQ(em_queue_delete(q), EM_OK);
}

TEST(objects, a_bounded_queue_refuses_what_is_too_much) {
    cores machine(1);
    counts c;
    c.hold = true;
    const em_eo_t eo = make(c);
    em_queue_conf_t conf{};
    conf.min_events = 2;
    const em_queue_t q =
        em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, &conf);
    ASSERT_EQ(em_eo_add_queue_sync(eo, q), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_send(make_event(), q), EM_OK);
    cores::until([&] { return c.inside == 1; });
    ASSERT_EQ(em_send(make_event(), q), EM_OK);
    ASSERT_EQ(em_send(make_event(), q), EM_OK);
    const em_event_t e = make_event();
    const em_status_t status = em_send(e, q);
    c.hold = false;
    ASSERT_EQ(status, status_of(EM_ERR_OPERATION_FAILED));
    EXPECT_EQ(take_errors().at(0).text, "em_send: queue 0x100 holds as many events as it may");
    em_free(e);
    cores::until([&] { return c.received >= 3; });
}

TEST(objects, what_is_left_at_the_end_is_freed) { // leaks are found by the address sanitizer
    cores machine(1);
    counts c;
    const em_eo_t eo = make(c);
    const em_queue_t q = make_queue();
    ASSERT_EQ(em_eo_add_queue_sync(eo, q), EM_OK);
    em_pool_cfg_t config;
    em_pool_cfg_init(&config);
    ASSERT_NE(em_pool_create("more", EM_POOL_UNDEF, &config), EM_POOL_UNDEF);
    static_cast<void>(make_event());
}

void throw_something(void* /*context*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/,
                     void* /*ctx*/) {
    em_free(event);
    throw std::runtime_error("no");
}

em_status_t note_eo_error(em_eo_t eo, em_status_t error, em_escope_t scope, va_list args) {
    return keep_error(eo, error, scope, args);
}

void throw_a_number(void* /*context*/, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/,
                    void* /*ctx*/) {
    em_free(event);
    throw 7;
}

TEST(objects, what_is_no_exception_is_caught_too) {
    cores machine(1);
    const receiver r = make_receiver(throw_a_number, nullptr, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    std::vector<error_seen> seen;
    cores::until([&] {
        seen = take_errors();
        return !seen.empty();
    });
    EXPECT_EQ(seen[0].text,
              "em_dispatch: the receive function of execution object 'receiver' has thrown what is no std::exception");
}

TEST(objects, what_a_receive_function_throws_goes_to_the_handler) {
    cores machine(1);
    const receiver r = make_receiver(throw_something, nullptr, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_eo_register_error_handler(r.eo, note_eo_error), EM_OK);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    std::vector<error_seen> seen;
    cores::until([&] {
        seen = take_errors();
        return !seen.empty();
    });
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].error, status_of(EM_ERR_LIB_FAILED));
    EXPECT_EQ(seen[0].text, "em_dispatch: the receive function of execution object 'receiver' has thrown: no");
    ASSERT_EQ(em_eo_unregister_error_handler(r.eo), EM_OK);
}

} // namespace
} // namespace skerry::test
