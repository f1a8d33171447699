// SPDX-License-Identifier: Apache-2.0

// Timers: when events come, and who has them. No test says how soon something happens: only what happens first.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "timed_core.hpp"

namespace skerry::test {
namespace {

// --- one-shot -------------------------------------------------------------------------------------------------------

TEST(timers, events_come_in_the_order_of_their_times_and_not_before) {
    constexpr unsigned count = 500;
    timed_core core(count + 1);
    std::vector<int> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    std::vector<int> order = expected;
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    const std::uint64_t begin = core.now() + 1000 * ms; // long enough to set all of them before
    const auto time_of = [&](int i) { return begin + static_cast<std::uint64_t>(i) * 10'000; };
    for (const int i : order) {
        ASSERT_EQ(em_tmo_set_abs(core.one_shot(), time_of(i), make_event(i)), EM_OK);
    }
    core.await(count);
    EXPECT_EQ(core.all.numbers, expected);
    for (const int i : expected) {
        EXPECT_GE(core.all.ticks[static_cast<std::size_t>(i)], time_of(i));
    }
    core.free_all();
    EXPECT_TRUE(take_errors().empty());
}

TEST(timers, an_earlier_timeout_does_not_wait_for_a_later_one) {
    timed_core core;
    const em_tmo_t far = core.one_shot();
    const em_tmo_t near = core.one_shot();
    ASSERT_EQ(em_tmo_set_rel(far, hour, make_event(1)), EM_OK);
    ASSERT_EQ(em_tmo_set_rel(near, ms, make_event(2)), EM_OK);
    EXPECT_EQ(em_tmo_get_state(far), EM_TMO_STATE_ACTIVE);
    core.await(1);
    EXPECT_THAT(core.all.numbers, testing::ElementsAre(2));
    EXPECT_EQ(em_tmo_get_state(near), EM_TMO_STATE_IDLE);
    em_event_t e = EM_EVENT_UNDEF;
    ASSERT_EQ(em_tmo_cancel(far, &e), EM_OK);
    EXPECT_EQ(value_of(e), 1);
    EXPECT_EQ(em_tmo_get_state(far), EM_TMO_STATE_IDLE);
    ASSERT_EQ(em_tmo_set_rel(far, ms, e), EM_OK); // again
    core.await(2);
    core.free_all();
}

struct outcomes {
    std::atomic<int> received{0};
};

TEST(timers, cancel_has_one_outcome) {
    constexpr int rounds = 2000;
    cores machine(2, 64, with_timers);
    const em_timer_t timer = make_timer();
    outcomes o;
    const receiver r = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            ++static_cast<outcomes*>(context)->received;
        },
        &o, EM_QUEUE_TYPE_PARALLEL);
    constexpr int cancellers = 2;
    std::atomic<int> canceled{0};
    std::atomic<int> set{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < cancellers; ++i) {
        threads.emplace_back([&, i] {
            std::mt19937 random(static_cast<unsigned>(i));
            const em_tmo_t tmo = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, r.queue);
            for (int k = 0; k < rounds; ++k) {
                em_event_t e = make_event();
                while (e == EM_EVENT_UNDEF) { // all wait to be received
                    std::this_thread::yield();
                    e = make_event();
                }
                if (em_tmo_set_rel(tmo, 2000 + random() % 60'000, e) != EM_OK) {
                    ADD_FAILURE();
                    return;
                }
                ++set;
                const std::uint64_t until = em_timer_current_tick(timer) + random() % 60'000;
                while (em_timer_current_tick(timer) < until) {
                    std::this_thread::yield();
                }
                const em_status_t status = em_tmo_cancel(tmo, &e);
                if (status == EM_OK) {
                    EXPECT_EQ(em_tmo_get_type(e, nullptr, false), EM_TMO_TYPE_NONE);
                    em_free(e);
                    ++canceled;
                } else {
                    EXPECT_EQ(status, status_of(EM_ERR_TOONEAR));
                    EXPECT_EQ(e, EM_EVENT_UNDEF);
                }
            }
            em_event_t left = EM_EVENT_UNDEF;
            EXPECT_EQ(em_tmo_delete(tmo, &left), EM_OK);
            EXPECT_EQ(left, EM_EVENT_UNDEF);
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    cores::until([&] { return o.received + canceled >= set; });
    EXPECT_EQ(set, rounds * cancellers);
    EXPECT_EQ(o.received + canceled, set);
    EXPECT_EQ(em_timer_delete(timer), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    for (const error_seen& e : take_errors()) { // of those that found the pool empty
        EXPECT_EQ(e.error, status_of(EM_ERR_ALLOC_FAILED)) << e.text;
    }
}

TEST(timers, a_full_queue_gets_the_event_when_there_is_room) {
    timed_core core;
    arrivals few;
    few.timer = core.timer;
    const em_queue_t one = make_receiver(arrive, &few, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_LOWEST, 1).queue;
    const em_tmo_t first = em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, one);
    const em_tmo_t second = em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, one);
    ASSERT_EQ(em_send(make_event(0), one), EM_OK); // now it is full
    ASSERT_EQ(em_tmo_set_rel(first, ms, make_event(1)), EM_OK);
    ASSERT_EQ(em_tmo_set_rel(second, 2 * ms, make_event(2)), EM_OK);
    cores::until([&] { return em_tmo_get_state(second) == EM_TMO_STATE_IDLE; }); // both are due
    em_event_t e = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_cancel(first, &e), status_of(EM_ERR_TOONEAR));
    this_core::dispatch_until([&] { return few.numbers.size() >= 3; });
    EXPECT_THAT(few.numbers, testing::ElementsAre(0, 1, 2));
    for (const em_event_t f : few.events) {
        em_free(f);
    }
    EXPECT_TRUE(take_errors().empty());
}

TEST(timers, the_event_for_a_queue_from_which_nobody_receives_is_freed) {
    timed_core core(1);
    const em_tmo_t tmo = core.periodic();
    ASSERT_EQ(em_eo_stop_sync(core.to.eo), EM_OK);
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, make_event(1)), EM_OK);
    em_event_t e = EM_EVENT_UNDEF;
    while (e == EM_EVENT_UNDEF) { // the only one is the timer's
        std::this_thread::yield();
        e = make_event();
    }
    unsigned freed = 0;
    for (const error_seen& error : take_errors()) {
        if (error.error == status_of(EM_ERR_BAD_STATE)) {
            ++freed;
            EXPECT_THAT(error.text, testing::HasSubstr("a timer: nobody receives from queue 0x100 now; the event of "
                                                       "timeout 0x1 is freed"));
        }
    }
    EXPECT_EQ(freed, 1U);
    EXPECT_EQ(em_tmo_get_state(tmo), EM_TMO_STATE_IDLE); // nobody will acknowledge it
    ASSERT_EQ(em_eo_start_sync(core.to.eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, e), EM_OK);
    core.await(1);
    core.free_all();
}

// --- periodic -------------------------------------------------------------------------------------------------------

TEST(timers, an_unacknowledged_periodic_timeout_stops) {
    timed_core core;
    const em_tmo_t tmo = core.periodic();
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, make_event(7)), EM_OK);
    core.await(1);
    for (int i = 0; i < 5; ++i) { // periods are over
        core.await_due();
    }
    EXPECT_THAT(core.all.numbers, testing::ElementsAre(7));
    EXPECT_EQ(em_tmo_get_state(tmo), EM_TMO_STATE_ACTIVE);
    ASSERT_EQ(em_tmo_ack(tmo, core.all.events[0]), EM_OK); // and now it goes on
    core.all.events.clear();
    core.await(2);
    em_event_t none = EM_EVENT_UNDEF;
    ASSERT_EQ(em_tmo_delete(tmo, &none), EM_OK);
    EXPECT_EQ(none, EM_EVENT_UNDEF);
    core.free_all();
    EXPECT_TRUE(take_errors().empty());
}

TEST(timers, periods_keep_their_places_and_those_that_are_over_are_left_out) {
    timed_core core;
    const em_tmo_t tmo = core.periodic();
    constexpr std::uint64_t period = 2 * ms;
    const std::uint64_t begin = core.now();
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, period, make_event(7)), EM_OK); // the first comes after a period
    core.await(1);
    EXPECT_GE(core.all.ticks[0], begin + period);
    cores::until([&] { return core.now() > core.all.ticks[0] + 3 * period; }); // three are over
    ASSERT_EQ(em_tmo_ack(tmo, core.all.events[0]), EM_OK);
    core.await(2);
    em_tmo_stats_t stats{};
    ASSERT_EQ(em_tmo_get_stats(tmo, &stats), EM_OK);
    EXPECT_EQ(stats.num_acks, 1U);
    EXPECT_EQ(stats.num_late_ack, 1U);
    EXPECT_GE(stats.num_period_skips, 3U);
    EXPECT_GE(core.all.ticks[1], begin + period * (stats.num_period_skips + 2));
    EXPECT_EQ(em_tmo_get_stats(tmo, nullptr), EM_OK);
    em_free(core.all.events[1]);
}

TEST(timers, with_noskip_no_period_is_left_out) {
    timed_core core;
    const em_tmo_t tmo = core.periodic(EM_TMO_FLAG_NOSKIP);
    constexpr std::uint64_t period = 10 * ms;
    const std::uint64_t begin = core.now();
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, period, make_event(7)), EM_OK);
    core.await(1);
    EXPECT_GE(core.all.ticks[0], begin + period);
    cores::until([&] { return core.now() > core.all.ticks[0] + 3 * period; });
    for (std::size_t i = 0; i < 3; ++i) { // the three that are over come
        ASSERT_EQ(em_tmo_ack(tmo, core.all.events[i]), EM_OK);
        core.await(i + 2);
    }
    em_tmo_stats_t stats{};
    ASSERT_EQ(em_tmo_get_stats(tmo, &stats), EM_OK);
    EXPECT_EQ(stats.num_acks, 3U);
    EXPECT_EQ(stats.num_late_ack, 3U);
    EXPECT_EQ(stats.num_period_skips, 0U);
    em_free(core.all.events.back());
}

TEST(timers, a_periodic_timeout_that_is_cancelled_too_late_comes_once_more) {
    timed_core core;
    const em_tmo_t tmo = core.periodic();
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, make_event(7)), EM_OK);
    core.await(1);
    em_event_t e = core.all.events[0];
    ASSERT_EQ(em_tmo_cancel(tmo, &e), status_of(EM_ERR_TOONEAR));
    EXPECT_EQ(e, EM_EVENT_UNDEF);
    EXPECT_EQ(em_tmo_ack(tmo, core.all.events[0]), status_of(EM_ERR_CANCELED));
    EXPECT_TRUE(take_errors().empty()); // no handler was called
    EXPECT_EQ(em_tmo_get_state(tmo), EM_TMO_STATE_IDLE);
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, hour, core.all.events[0]), EM_OK);
    ASSERT_EQ(em_tmo_cancel(tmo, &e), EM_OK); // in time
    EXPECT_EQ(value_of(e), 7);
    em_free(e);
    EXPECT_EQ(core.all.numbers.size(), 1U);
}

TEST(timers, an_event_says_what_a_timer_sent_it_for) {
    timed_core core;
    const em_tmo_t once = core.one_shot();
    const em_tmo_t often = core.periodic();
    ASSERT_EQ(em_tmo_set_rel(once, ms, make_event(1)), EM_OK);
    core.await(1);
    em_event_t e = core.all.events[0];
    em_tmo_t tmo = EM_TMO_UNDEF;
    EXPECT_EQ(em_tmo_get_type(e, &tmo, false), EM_TMO_TYPE_ONESHOT);
    EXPECT_EQ(tmo, once);
    ASSERT_EQ(em_tmo_set_periodic(often, 0, ms, e), EM_OK);
    core.await(2);
    e = core.all.events.back();
    EXPECT_EQ(em_tmo_get_type(e, &tmo, true), EM_TMO_TYPE_PERIODIC);
    EXPECT_EQ(tmo, often);
    EXPECT_EQ(em_tmo_get_type(e, &tmo, false), EM_TMO_TYPE_NONE);
    EXPECT_EQ(tmo, EM_TMO_UNDEF);
    ASSERT_EQ(em_tmo_ack(often, e), EM_OK);
    core.await(3);
    e = core.all.events.back();
    EXPECT_EQ(em_tmo_get_userptr(e, &tmo), nullptr);
    em_free(e); // which forgets
    for (const em_event_t fresh : std::vector<em_event_t>{make_event(), make_event()}) {
        EXPECT_EQ(em_tmo_get_type(fresh, nullptr, false), EM_TMO_TYPE_NONE);
        em_free(fresh);
    }
    EXPECT_EQ(em_tmo_get_type(EM_EVENT_UNDEF, nullptr, false), EM_TMO_TYPE_NONE);
    expect_error(EM_ERR_BAD_ARG, "em_tmo_get_type: no event");
}

// --- the end --------------------------------------------------------------------------------------------------------

TEST(timers, term_ends_timers_in_flight) {
    for (int round = 0; round < 20; ++round) {
        timed_core core(256);
        for (int i = 0; i < 200; ++i) {
            const em_tmo_t tmo = i % 2 == 0 ? core.one_shot() : core.periodic();
            const std::uint64_t after = i % 4 < 2 ? hour : 2000 + static_cast<std::uint64_t>(i) * 1000;
            ASSERT_EQ(i % 2 == 0 ? em_tmo_set_rel(tmo, after, make_event(i))
                                 : em_tmo_set_periodic(tmo, 0, after, make_event(i)),
                      EM_OK);
        }
        static_cast<void>(em_dispatch(3));
    }
}

TEST(timers, delete_gives_the_event_of_an_active_timeout_back) {
    timed_core core(1);
    const em_tmo_t tmo = core.one_shot();
    ASSERT_EQ(em_tmo_set_rel(tmo, hour, make_event(1)), EM_OK);
    EXPECT_EQ(em_timer_delete(core.timer), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_timer_delete: timer 0x1 has timeouts");
    em_event_t e = EM_EVENT_UNDEF;
    ASSERT_EQ(em_tmo_delete(tmo, &e), EM_OK);
    ASSERT_NE(e, EM_EVENT_UNDEF);
    em_free(e);
    EXPECT_EQ(em_tmo_delete(tmo, &e), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_tmo_delete: there is no timeout 0x1");
    EXPECT_EQ(core.one_shot(), tmo); // the handle is free again
    ASSERT_EQ(em_tmo_delete(tmo, &e), EM_OK);
    EXPECT_EQ(e, EM_EVENT_UNDEF);
    EXPECT_EQ(em_timer_delete(core.timer), EM_OK);
    EXPECT_EQ(em_timer_delete(core.timer), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_timer_delete: there is no timer 0x1");
    core.timer = EM_TIMER_UNDEF;
}

} // namespace
} // namespace skerry::test
