// SPDX-License-Identifier: Apache-2.0

// How cores dispatch: how long, what they choose, and what they call besides receive functions.

#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/event/event_machine.hpp"
#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

em_dispatch_opt_t options() {
    em_dispatch_opt_t opt;
    em_dispatch_opt_init(&opt);
    return opt;
}

TEST(dispatch, rounds_without_a_wait_end_at_once) {
    const this_core machine;
    em_dispatch_results_t did{1, 1, 1};
    ASSERT_EQ(em_dispatch_rounds(1000, nullptr, &did), EM_OK);
    EXPECT_EQ(did.rounds, 1000U);
    EXPECT_EQ(did.events, 0U);
    EXPECT_EQ(did.ns, 0U);
    em_dispatch_duration_t duration{};
    duration.select = EM_DISPATCH_DURATION_NO_EVENTS_ROUNDS;
    duration.no_events.rounds = 5;
    ASSERT_EQ(em_dispatch_duration(&duration, nullptr, &did), EM_OK);
    EXPECT_EQ(did.rounds, 5U);
}

// Not less: a slow machine takes longer, which is no error.
TEST(dispatch, waits_as_long_as_it_is_told) {
    const this_core machine;
    em_dispatch_opt_t opt = options();
    opt.wait_ns = 20'000'000;
    const auto begin = std::chrono::steady_clock::now();
    em_dispatch_results_t did{};
    ASSERT_EQ(em_dispatch_rounds(2, &opt, &did), EM_OK);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(39));
    EXPECT_EQ(did.rounds, 2U);
    ASSERT_EQ(em_dispatch_ns(20'000'000, nullptr, &did), EM_OK);
    EXPECT_GE(did.ns, 20'000'000U);
    EXPECT_LT(did.rounds, 100U); // a round lasts until an event or the end
    em_dispatch_duration_t duration{};
    duration.select = EM_DISPATCH_DURATION_NO_EVENTS_NS;
    duration.no_events.ns = 10'000'000;
    ASSERT_EQ(em_dispatch_duration(&duration, nullptr, &did), EM_OK);
    EXPECT_GE(did.ns, 10'000'000U);
}

TEST(dispatch, counts_events_and_rounds) {
    const this_core machine;
    std::atomic<int> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const receiver r = make_receiver(count, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 30; ++i) {
        send_value(i, r.queue);
    }
    em_dispatch_results_t did{};
    ASSERT_EQ(em_dispatch_events(5, nullptr, &did), EM_OK);
    EXPECT_EQ(did.events, 5U);
    EXPECT_EQ(did.rounds, 5U); // one for each call of a receive function
    ASSERT_EQ(em_dispatch_rounds(3, nullptr, &did), EM_OK);
    EXPECT_EQ(did.events, 3U);
    EXPECT_EQ(em_dispatch(4), 4U);
    em_dispatch_duration_t duration{}; // whichever comes first
    duration.select = static_cast<em_dispatch_duration_select_t>(EM_DISPATCH_DURATION_ROUNDS |
                                                                 EM_DISPATCH_DURATION_EVENTS | EM_DISPATCH_DURATION_NS);
    duration.rounds = 6;
    duration.events = 1000;
    duration.ns = 3'600'000'000'000;
    ASSERT_EQ(em_dispatch_duration(&duration, nullptr, &did), EM_OK);
    EXPECT_EQ(did.events, 6U);
    EXPECT_EQ(em_dispatch(1000), 12U);
    EXPECT_EQ(received, 30);
}

void receive_burst(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    static_cast<log*>(context)->add(num);
    for (int i = 0; i < num; ++i) {
        em_free(events[i]);
    }
}

TEST(dispatch, takes_a_burst_at_most) {
    const this_core machine;
    log seen;
    em_eo_multircv_param_t p;
    em_eo_multircv_param_init(&p);
    p.start = start_nothing;
    p.stop = stop_nothing;
    p.receive_multi = receive_burst;
    p.eo_ctx = &seen;
    const em_eo_t eo = em_eo_create_multircv("bursts", &p);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (int i = 0; i < 45; ++i) {
        send_value(i, q);
    }
    em_dispatch_opt_t opt = options();
    opt.burst_size = 5;
    ASSERT_EQ(em_dispatch_events(9, &opt, nullptr), EM_OK); // and the burst to its end
    EXPECT_EQ(em_dispatch(2), 35U);
    EXPECT_EQ(seen.all(), (std::vector<int>{5, 5, 32, 3}));
}

// A queue that is never empty does not keep others of its priority waiting for more than a turn.
TEST(dispatch, equal_priorities_take_turns_of_a_burst) {
    const this_core machine(4096);
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const em_eo_t eo = make_object(note);
    const em_core_mask_t mask = mask_of(1);
    const em_queue_group_t other = em_queue_group_create_sync("other", &mask);
    std::vector<em_queue_t> queues;
    for (unsigned i = 0; i < 3; ++i) { // one of them in another queue group
        queues.push_back(add_queue(eo, make_queue(i == 1 ? EM_QUEUE_TYPE_PARALLEL : EM_QUEUE_TYPE_ATOMIC,
                                                  i == 2 ? other : EM_QUEUE_GROUP_DEFAULT)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (int q = 0; q < 3; ++q) {
        for (int i = 0; i < 64; ++i) {
            send_value(q, queues[static_cast<unsigned>(q)]);
        }
    }
    EXPECT_EQ(em_dispatch(3 * 64), 3U * 64);
    const std::vector<int> all = seen.all();
    std::vector<int> order{all.front(), all[EM_SCHED_MULTI_MAX_BURST], all[2 * EM_SCHED_MULTI_MAX_BURST]};
    std::vector<int> expected;
    for (std::size_t turn = 0; turn < 6; ++turn) {
        expected.insert(expected.end(), EM_SCHED_MULTI_MAX_BURST, order[turn % 3]);
    }
    EXPECT_EQ(all, expected);
    if (detail::the_home_rules.streak > 1) { // else what a core takes home comes behind what waits for all
        EXPECT_THAT(order, testing::ElementsAre(0, 1, 2));
    } else {
        EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2));
    }
}

TEST(dispatch, a_low_priority_goes_on_beside_a_high_one_that_never_ends) {
    const this_core machine;
    std::atomic<bool> low_received{false};
    receive_by low = [&](em_event_t e, em_queue_t) {
        em_free(e);
        low_received = true;
    };
    const receiver lowest = make_receiver(low, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOWEST);
    receive_by again = [&](em_event_t e, em_queue_t q) { EXPECT_EQ(em_send(e, q), EM_OK); };
    const receiver highest = make_receiver(again, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGHEST);
    const receiver middle = make_receiver(again, EM_QUEUE_TYPE_ATOMIC);
    send_value(0, highest.queue);
    send_value(0, middle.queue);
    send_value(0, lowest.queue);
    EXPECT_EQ(em_dispatch(255), 255U);
    EXPECT_FALSE(low_received); // 256 times a higher one may be chosen before it
    EXPECT_EQ(em_dispatch(10), 10U);
    EXPECT_TRUE(low_received);
}

// --- nothing is hostage ---------------------------------------------------------------------------------------------

TEST(dispatch, what_waits_behind_a_long_receive_is_served_by_others) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    std::atomic<int> received{0};
    receive_by fast = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const receiver other = make_receiver(fast, EM_QUEUE_TYPE_ATOMIC);
    receive_by slow = [&](em_event_t e, em_queue_t) {
        if (free_value(e) == 0) {
            for (int i = 0; i < 10; ++i) {
                send_value(i, other.queue); // its own sends
            }
            inside = true;
            wait_for(go);
        } else {
            ++received;
        }
    };
    const receiver r = make_receiver(slow, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 10; ++i) {
        send_value(i, r.queue); // what could have been taken together with the first one
    }
    cores::until([&] { return inside && received == 19; });
    go = true;
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

// --- callbacks ------------------------------------------------------------------------------------------------------

struct callback_state {
    std::atomic<int> enters{0};
    std::atomic<int> exits{0};
    em_event_t instead = EM_EVENT_UNDEF;
    int context = 5;
} called;

void count_enter(em_eo_t /*eo*/, void** /*eo_ctx*/, em_event_t /*events*/[], int /*num*/, em_queue_t* /*queue*/,
                 void** q_ctx) {
    ++called.enters;
    *q_ctx = &called.context;
}
void drop_odd_ones(em_eo_t /*eo*/, void** /*eo_ctx*/, em_event_t events[], int num, em_queue_t* /*queue*/,
                   void** /*q_ctx*/) {
    for (int i = 0; i < num; ++i) {
        if (value_of(events[i]) % 2 != 0) {
            em_free(std::exchange(events[i], EM_EVENT_UNDEF));
        }
    }
}
void swap_zero(em_eo_t /*eo*/, void** /*eo_ctx*/, em_event_t events[], int /*num*/, em_queue_t* /*queue*/,
               void** /*q_ctx*/) {
    if (value_of(events[0]) == 0) {
        em_free(std::exchange(events[0], make_event(100)));
    }
}
void count_exit(em_eo_t /*eo*/) { ++called.exits; }

TEST(callbacks, drop_events_and_swap_them) {
    const this_core machine(4096);
    called.enters = called.exits = 0;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_dispatch_register_enter_cb(drop_odd_ones), EM_OK);
    ASSERT_EQ(em_dispatch_register_enter_cb(swap_zero), EM_OK);
    ASSERT_EQ(em_dispatch_register_enter_cb(count_enter), EM_OK);
    ASSERT_EQ(em_dispatch_register_exit_cb(count_exit), EM_OK);
    ASSERT_EQ(em_dispatch_register_exit_cb(count_exit), EM_OK);
    for (int i = 0; i < 4; ++i) {
        send_value(i, r.queue);
    }
    EXPECT_EQ(em_dispatch(4), 4U);
    EXPECT_EQ(seen.all(), (std::vector<int>{100, 2}));
    EXPECT_EQ(called.enters, 2);
    EXPECT_EQ(called.exits, 8); // twice each, also where all were dropped
    ASSERT_EQ(em_dispatch_unregister_enter_cb(drop_odd_ones), EM_OK);
    ASSERT_EQ(em_dispatch_unregister_exit_cb(count_exit), EM_OK);
    send_value(1, r.queue);
    EXPECT_EQ(em_dispatch(1), 1U);
    EXPECT_EQ(seen.size(), 3U);
    EXPECT_EQ(called.exits, 9);
    EXPECT_EQ(free_events(4096), 4096U);
}

TEST(callbacks, what_they_throw_is_told) {
    const this_core machine;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_dispatch_enter_func_t drops = [](em_eo_t /*eo*/, void** /*eo_ctx*/, em_event_t events[], int /*num*/,
                                              em_queue_t* /*queue*/, void** /*q_ctx*/) {
        if (value_of(events[0]) == 0) {
            em_free(std::exchange(events[0], EM_EVENT_UNDEF));
            throw std::runtime_error("enough");
        }
    };
    const em_dispatch_exit_func_t leaves = [](em_eo_t /*eo*/) { throw 1; };
    ASSERT_EQ(em_dispatch_register_enter_cb(drops), EM_OK);
    send_value(0, r.queue);
    this_core::dispatch(1);
    expect_error(EM_ERR_LIB_FAILED, "event machine: a callback or hook has thrown: enough");
    ASSERT_EQ(em_dispatch_register_exit_cb(leaves), EM_OK);
    send_value(1, r.queue);
    this_core::dispatch(1);
    expect_error(EM_ERR_LIB_FAILED, "event machine: a callback or hook has thrown what is no std::exception");
    EXPECT_EQ(seen.all(), std::vector<int>{1});
}

TEST(callbacks, refuse_what_is_wrong) {
    EXPECT_EQ(em_register_error_handler(keep_error), EM_OK);
    static_cast<void>(take_errors());
    EXPECT_EQ(em_dispatch_register_enter_cb(count_enter), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_dispatch_register_enter_cb: em_init() was not called");
    const this_core machine;
    EXPECT_EQ(em_dispatch_register_enter_cb(nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_dispatch_register_enter_cb: a null pointer");
    EXPECT_EQ(em_dispatch_unregister_enter_cb(count_enter), status_of(EM_ERR_NOT_FOUND));
    expect_error(EM_ERR_NOT_FOUND, "em_dispatch_unregister_enter_cb: the callback is not registered");
    EXPECT_EQ(em_dispatch_unregister_exit_cb(count_exit), status_of(EM_ERR_NOT_FOUND));
    expect_error(EM_ERR_NOT_FOUND, "em_dispatch_unregister_exit_cb: the callback is not registered");
    for (int i = 0; i < EM_CALLBACKS_MAX; ++i) {
        ASSERT_EQ(em_dispatch_register_exit_cb(count_exit), EM_OK);
    }
    EXPECT_EQ(em_dispatch_register_exit_cb(count_exit), status_of(EM_ERR_ALLOC_FAILED));
    expect_error(EM_ERR_ALLOC_FAILED, "em_dispatch_register_exit_cb: there are 8 callbacks already");
}

// --- local queues, and what is wrong ---------------------------------------------------------------------------------

TEST(dispatch, receives_what_was_sent_to_local_queues_before) {
    const this_core machine;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_LOCAL);
    send_value(1, r.queue);
    send_value(2, r.queue);
    EXPECT_EQ(em_dispatch(1), 2U); // all that is there
    EXPECT_EQ(seen.all(), (std::vector<int>{1, 2}));
    send_value(3, r.queue); // is freed when the core leaves
}

TEST(dispatch, refuses_what_is_wrong) {
    const this_core machine;
    em_dispatch_opt_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_dispatch_opt_init: a null pointer");
    EXPECT_EQ(em_dispatch_duration(nullptr, nullptr, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_dispatch_duration: a null pointer");
    em_dispatch_duration_t duration{};
    constexpr unsigned wrong = 33; // as C can write it
    std::memcpy(&duration.select, &wrong, sizeof wrong);
    EXPECT_EQ(em_dispatch_duration(&duration, nullptr, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_dispatch_duration: select is 0x21, which has bits of no duration");
    EXPECT_EQ(em_dispatch_ns(0, nullptr, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_dispatch_ns: a duration that is selected is 0");
    EXPECT_EQ(em_dispatch_events(0, nullptr, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_dispatch_events: a duration that is selected is 0");
    em_dispatch_opt_t opt{};
    EXPECT_EQ(em_dispatch_rounds(1, &opt, nullptr), status_of(EM_ERR_NOT_INITIALIZED));
    expect_error(EM_ERR_NOT_INITIALIZED, "em_dispatch_rounds: em_dispatch_opt_init() was not called for the options");
    opt = options();
    opt.burst_size = 33;
    EXPECT_EQ(em_dispatch_rounds(1, &opt, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_dispatch_rounds: burst_size is 33, not from 1 to 32");
    std::thread([] {
        EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), status_of(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_dispatch_rounds: the calling thread is no core");
    }).join();
}

} // namespace
} // namespace skerry::test
