// SPDX-License-Identifier: Apache-2.0

// Timers: when events come, who has them, and what is wrong. No test says how soon something happens: only what happens
// first.

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "cores.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t hour = std::uint64_t{3600} * 1000 * ms;

void with_timers(em_conf_t& conf) { conf.event_timer = 1; }

em_timer_t make_timer() {
    em_timer_attr_t attr;
    em_timer_attr_init(&attr);
    return em_timer_create(&attr);
}

// The numbers in the events that were received, and when.
struct arrivals {
    std::vector<std::uint64_t> numbers;
    std::vector<std::uint64_t> ticks;
    std::vector<em_event_t> events; // ours
    em_timer_t timer = EM_TIMER_UNDEF;
};
void arrive(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    arrivals& all = *static_cast<arrivals*>(context);
    all.numbers.push_back(*static_cast<const std::uint64_t*>(em_event_pointer(event)));
    all.ticks.push_back(em_timer_current_tick(all.timer));
    all.events.push_back(event);
}

em_event_t numbered(std::uint64_t number) {
    const em_event_t e = make_event();
    *static_cast<std::uint64_t*>(em_event_pointer(e)) = number;
    return e;
}

// A core with a timer, and a queue.
struct timed_core : this_core {
    explicit timed_core(std::uint32_t events = 64) : this_core(events, with_timers) {
        all.timer = timer;
        EXPECT_NE(timer, EM_TIMER_UNDEF);
    }
    // Until that many have come in all.
    void await(std::size_t count) const {
        while (all.numbers.size() < count) {
            static_cast<void>(em_dispatch(1));
        }
    }
    void free_all() {
        for (const em_event_t e : std::exchange(all.events, {})) {
            em_free(e);
        }
    }
    // Returns when everything that was due at the call has been sent: what is due later to the same queue comes behind.
    void await_due() {
        const em_tmo_t mark = one_shot();
        const std::size_t before = all.numbers.size();
        ASSERT_EQ(em_tmo_set_rel(mark, ms, numbered(mark_number)), EM_OK);
        while (all.numbers.size() == before || all.numbers.back() != mark_number) {
            static_cast<void>(em_dispatch(1));
        }
        all.numbers.pop_back();
        em_free(all.events.back());
        all.events.pop_back();
        em_event_t none = EM_EVENT_UNDEF;
        ASSERT_EQ(em_tmo_delete(mark, &none), EM_OK);
    }
    [[nodiscard]] em_tmo_t one_shot() const { return em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, to.queue); }
    [[nodiscard]] em_tmo_t periodic(unsigned more = 0) const {
        return em_tmo_create(timer, static_cast<em_tmo_flag_t>(EM_TMO_FLAG_PERIODIC | more), to.queue);
    }
    [[nodiscard]] std::uint64_t now() const { return em_timer_current_tick(timer); }

    static constexpr std::uint64_t mark_number = 999'999;

    arrivals all;
    em_timer_t timer = make_timer();
    receiver to = make_receiver(arrive, &all, EM_QUEUE_TYPE_ATOMIC);
};

// --- one-shot -------------------------------------------------------------------------------------------------------

TEST(timers, events_come_in_the_order_of_their_times_and_not_before) {
    constexpr std::uint64_t count = 500;
    timed_core core(count + 1);
    std::vector<std::uint64_t> order(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    const std::uint64_t begin = core.now() + 50 * ms;
    for (const std::uint64_t i : order) {
        ASSERT_EQ(em_tmo_set_abs(core.one_shot(), begin + i * 10'000, numbered(i)), EM_OK);
    }
    core.await(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        EXPECT_EQ(core.all.numbers[i], i);
        EXPECT_GE(core.all.ticks[i], begin + i * 10'000);
    }
    core.free_all();
    EXPECT_TRUE(take_errors().empty());
}

TEST(timers, an_earlier_timeout_does_not_wait_for_a_later_one) {
    timed_core core;
    const em_tmo_t far = core.one_shot();
    const em_tmo_t near = core.one_shot();
    ASSERT_EQ(em_tmo_set_rel(far, hour, numbered(1)), EM_OK);
    ASSERT_EQ(em_tmo_set_rel(near, ms, numbered(2)), EM_OK);
    EXPECT_EQ(em_tmo_get_state(far), EM_TMO_STATE_ACTIVE);
    core.await(1);
    EXPECT_THAT(core.all.numbers, testing::ElementsAre(2));
    EXPECT_EQ(em_tmo_get_state(near), EM_TMO_STATE_IDLE);
    em_event_t e = EM_EVENT_UNDEF;
    ASSERT_EQ(em_tmo_cancel(far, &e), EM_OK);
    EXPECT_EQ(*static_cast<std::uint64_t*>(em_event_pointer(e)), 1U);
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
    const em_eo_t eo = em_eo_create("few", start_nothing, nullptr, stop_nothing, nullptr, arrive, &few);
    em_queue_conf_t conf{};
    conf.min_events = 1;
    const em_queue_t one =
        em_queue_create("one", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_LOWEST, EM_QUEUE_GROUP_DEFAULT, &conf);
    ASSERT_EQ(em_eo_add_queue_sync(eo, one), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    const em_tmo_t first = em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, one);
    const em_tmo_t second = em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, one);
    ASSERT_EQ(em_send(numbered(0), one), EM_OK); // now it is full
    const std::uint64_t at = core.now() + ms;
    ASSERT_EQ(em_tmo_set_abs(first, at, numbered(1)), EM_OK);
    ASSERT_EQ(em_tmo_set_abs(second, at + 1, numbered(2)), EM_OK);
    while (em_tmo_get_state(second) != EM_TMO_STATE_IDLE) { // both are due
        std::this_thread::yield();
    }
    em_event_t e = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_cancel(first, &e), status_of(EM_ERR_TOONEAR));
    while (few.numbers.size() < 3) {
        static_cast<void>(em_dispatch(1));
    }
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
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, numbered(1)), EM_OK);
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
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, numbered(7)), EM_OK);
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
    const std::uint64_t start = core.now() + 2 * ms;
    ASSERT_EQ(em_tmo_set_periodic(tmo, start, 2 * ms, numbered(7)), EM_OK);
    core.await(1);
    EXPECT_GE(core.all.ticks[0], start);
    while (core.now() < start + 7 * ms) { // three periods are over
        std::this_thread::yield();
    }
    ASSERT_EQ(em_tmo_ack(tmo, core.all.events[0]), EM_OK);
    core.await(2);
    em_tmo_stats_t stats{};
    ASSERT_EQ(em_tmo_get_stats(tmo, &stats), EM_OK);
    EXPECT_EQ(stats.num_acks, 1U);
    EXPECT_EQ(stats.num_late_ack, 1U);
    EXPECT_GE(stats.num_period_skips, 3U);
    EXPECT_GE(core.all.ticks[1], start + 2 * ms * (stats.num_period_skips + 1));
    EXPECT_EQ(em_tmo_get_stats(tmo, nullptr), EM_OK);
    em_free(core.all.events[1]);
}

TEST(timers, with_noskip_no_period_is_left_out) {
    timed_core core;
    const em_tmo_t tmo = core.periodic(EM_TMO_FLAG_NOSKIP);
    const std::uint64_t start = core.now() + ms;
    ASSERT_EQ(em_tmo_set_periodic(tmo, start, 10 * ms, numbered(7)), EM_OK);
    core.await(1);
    while (core.now() < start + 35 * ms) {
        std::this_thread::yield();
    }
    for (std::size_t i = 0; i < 3; ++i) { // those at 10, 20 and 30 are over, and come
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
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, ms, numbered(7)), EM_OK);
    core.await(1);
    em_event_t e = core.all.events[0];
    ASSERT_EQ(em_tmo_cancel(tmo, &e), status_of(EM_ERR_TOONEAR));
    EXPECT_EQ(e, EM_EVENT_UNDEF);
    EXPECT_EQ(em_tmo_ack(tmo, core.all.events[0]), status_of(EM_ERR_CANCELED));
    EXPECT_TRUE(take_errors().empty()); // no handler was called
    EXPECT_EQ(em_tmo_get_state(tmo), EM_TMO_STATE_IDLE);
    ASSERT_EQ(em_tmo_set_periodic(tmo, 0, hour, core.all.events[0]), EM_OK);
    ASSERT_EQ(em_tmo_cancel(tmo, &e), EM_OK); // in time
    EXPECT_EQ(e, core.all.events[0]);
    em_free(e);
    EXPECT_EQ(core.all.numbers.size(), 1U);
}

TEST(timers, an_event_says_what_a_timer_sent_it_for) {
    timed_core core;
    const em_tmo_t once = core.one_shot();
    const em_tmo_t often = core.periodic();
    ASSERT_EQ(em_tmo_set_rel(once, ms, numbered(1)), EM_OK);
    core.await(1);
    em_event_t e = core.all.events[0];
    em_tmo_t tmo = EM_TMO_UNDEF;
    EXPECT_EQ(em_tmo_get_type(e, &tmo, false), EM_TMO_TYPE_ONESHOT);
    EXPECT_EQ(tmo, once);
    ASSERT_EQ(em_tmo_set_periodic(often, 0, ms, e), EM_OK);
    core.await(2);
    EXPECT_EQ(em_tmo_get_type(e, &tmo, true), EM_TMO_TYPE_PERIODIC);
    EXPECT_EQ(tmo, often);
    EXPECT_EQ(em_tmo_get_type(e, &tmo, false), EM_TMO_TYPE_NONE);
    EXPECT_EQ(tmo, EM_TMO_UNDEF);
    ASSERT_EQ(em_tmo_ack(often, e), EM_OK);
    core.await(3);
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

TEST(timers, term_with_timers_in_flight_leaks_nothing) {
    for (int round = 0; round < 20; ++round) {
        timed_core core(256);
        for (unsigned i = 0; i < 200; ++i) {
            const em_tmo_t tmo = i % 2 == 0 ? core.one_shot() : core.periodic();
            const std::uint64_t after = i % 4 < 2 ? hour : 2000 + i * 1000;
            ASSERT_EQ(i % 2 == 0 ? em_tmo_set_rel(tmo, after, numbered(i))
                                 : em_tmo_set_periodic(tmo, 0, after, numbered(i)),
                      EM_OK);
        }
        static_cast<void>(em_dispatch(3));
    }
}

TEST(timers, delete_gives_the_event_of_an_active_timeout_back) {
    timed_core core(1);
    const em_tmo_t tmo = core.one_shot();
    ASSERT_EQ(em_tmo_set_rel(tmo, hour, numbered(1)), EM_OK);
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

// --- what there is, and what is wrong -------------------------------------------------------------------------------

TEST(timers, what_they_can) {
    em_timer_capability_t can{};
    EXPECT_EQ(em_timer_capability(nullptr, EM_TIMER_CLKSRC_DEFAULT), status_of(EM_ERR_BAD_POINTER));
    EXPECT_EQ(em_timer_capability(&can, EM_TIMER_CLKSRC_EXT), status_of(EM_ERR_NOT_SUPPORTED));
    ASSERT_EQ(em_timer_capability(&can, EM_TIMER_CLKSRC_DEFAULT), EM_OK);
    EXPECT_EQ(can.max_timers, 16U);
    EXPECT_EQ(can.max_num_tmo, 0U);
    EXPECT_EQ(can.max_res.res_ns, 1000U);
    EXPECT_EQ(can.max_res.res_hz, 1'000'000U);
    EXPECT_EQ(can.ring.max_rings, 0U);
    em_timer_res_param_t res{};
    EXPECT_EQ(em_timer_res_capability(nullptr, EM_TIMER_CLKSRC_DEFAULT), status_of(EM_ERR_BAD_POINTER));
    EXPECT_EQ(em_timer_res_capability(&res, EM_TIMER_CLKSRC_DEFAULT), status_of(EM_ERR_BAD_ARG));
    res.res_ns = 999;
    EXPECT_EQ(em_timer_res_capability(&res, EM_TIMER_CLKSRC_DEFAULT), status_of(EM_ERR_NOT_SUPPORTED));
    res.res_ns = 20'000;
    EXPECT_EQ(em_timer_res_capability(&res, EM_TIMER_CLKSRC_DEFAULT), EM_OK);
    EXPECT_EQ(res.res_hz, 50'000U);
    EXPECT_EQ(res.max_tmo, can.max_tmo.max_tmo);
    res.res_ns = 0;
    res.max_tmo = hour;
    EXPECT_EQ(em_timer_res_capability(&res, EM_TIMER_CLKSRC_DEFAULT), EM_OK);
    EXPECT_EQ(res.res_ns, 1000U);
    EXPECT_EQ(res.max_tmo, hour);
    res.res_ns = 0;
    res.max_tmo = can.max_tmo.max_tmo + 1;
    EXPECT_EQ(em_timer_res_capability(&res, EM_TIMER_CLKSRC_DEFAULT), status_of(EM_ERR_NOT_SUPPORTED));
    em_timer_attr_init(nullptr);

    timed_core core;
    EXPECT_EQ(em_timer_get_freq(core.timer), 1'000'000'000U);
    EXPECT_EQ(em_timer_tick_to_ns(core.timer, 5), 5U);
    EXPECT_EQ(em_timer_ns_to_tick(core.timer, 6), 6U);
    EXPECT_NE(core.now(), 0U);
    em_timer_attr_t attr{};
    ASSERT_EQ(em_timer_get_attr(core.timer, &attr), EM_OK);
    EXPECT_EQ(attr.num_tmo, 1024U);
    const em_timer_t second = make_timer();
    std::array<em_timer_t, 3> all{};
    EXPECT_EQ(em_timer_get_all(nullptr, 0), 2);
    EXPECT_EQ(em_timer_get_all(all.data(), 1), 2);
    EXPECT_THAT(all, testing::ElementsAre(core.timer, EM_TIMER_UNDEF, EM_TIMER_UNDEF));
    EXPECT_EQ(em_timer_get_all(all.data(), 3), 2);
    EXPECT_THAT(all, testing::ElementsAre(core.timer, second, EM_TIMER_UNDEF));
    EXPECT_EQ(em_timer_get_all(all.data(), -1), 2);
    EXPECT_EQ(em_timer_to_u64(second), 2U);
    const em_tmo_t tmo = em_tmo_create_arg(second, EM_TMO_FLAG_ONESHOT, core.to.queue, nullptr);
    EXPECT_EQ(em_tmo_get_timer(tmo), second);
    EXPECT_EQ(em_tmo_to_u64(tmo), 1U);
}

TEST(timers, timers_refused) {
    {
        this_core core;
        EXPECT_EQ(make_timer(), EM_TIMER_UNDEF);
        expect_error(EM_ERR_NOT_INITIALIZED, "em_timer_create: event_timer of em_conf_t is 0");
    }
    timed_core core;
    em_timer_attr_t attr{};
    EXPECT_EQ(em_timer_create(&attr), EM_TIMER_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_timer_create: em_timer_attr_init() was not called for the attributes");
    EXPECT_EQ(em_timer_create(nullptr), EM_TIMER_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_timer_create: em_timer_attr_init() was not called for the attributes");
    const auto refused = [](auto&& change) {
        em_timer_attr_t a;
        em_timer_attr_init(&a);
        change(a);
        EXPECT_EQ(em_timer_create(&a), EM_TIMER_UNDEF);
    };
    refused([](em_timer_attr_t& a) { a.flags = EM_TIMER_FLAG_RING; });
    expect_error(EM_ERR_BAD_ARG, "em_timer_create: EM_TIMER_FLAG_RING is set");
    refused([](em_timer_attr_t& a) { a.resparam.res_hz = 1000; });
    expect_error(EM_ERR_BAD_ARG, "em_timer_create: of res_ns and res_hz one is 0, and the other is not");
    refused([](em_timer_attr_t& a) { a.num_tmo = 0; });
    expect_error(EM_ERR_BAD_ARG, "em_timer_create: num_tmo is 0");
    constexpr const char* beyond = "em_timer_create: the resolution, the limits or the clock are beyond what "
                                   "em_timer_capability() says";
    refused([](em_timer_attr_t& a) { a.resparam.res_ns = 1; });
    expect_error(EM_ERR_NOT_SUPPORTED, beyond);
    refused([](em_timer_attr_t& a) { a.resparam.clk_src = EM_TIMER_CLKSRC_1; });
    expect_error(EM_ERR_NOT_SUPPORTED, beyond);
    while (make_timer() != EM_TIMER_UNDEF) {
    }
    expect_error(EM_ERR_ALLOC_FAILED, "em_timer_create: there are 16 timers already");
    EXPECT_EQ(em_timer_get_freq(EM_TIMER_UNDEF), 0U);
    expect_error(EM_ERR_BAD_ID, "em_timer_get_freq: there is no timer");
    EXPECT_EQ(em_timer_get_attr(core.timer, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_timer_get_attr: a null pointer");
    EXPECT_EQ(em_timer_get_attr(EM_TIMER_UNDEF, &attr), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_timer_get_attr: there is no timer");
}

TEST(timers, timeouts_refused) {
    timed_core core;
    EXPECT_EQ(em_tmo_create(core.timer, EM_TMO_FLAG_NOSKIP, core.to.queue), EM_TMO_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_tmo_create: flags 0x4 are neither EM_TMO_FLAG_ONESHOT nor "
                                 "EM_TMO_FLAG_PERIODIC, with EM_TMO_FLAG_NOSKIP or without");
    EXPECT_EQ(em_tmo_create(core.timer, static_cast<em_tmo_flag_t>(3), core.to.queue), EM_TMO_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_tmo_create: flags 0x3 are neither");
    EXPECT_EQ(em_tmo_create(EM_TIMER_UNDEF, EM_TMO_FLAG_ONESHOT, core.to.queue), EM_TMO_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_tmo_create: there is no timer");
    EXPECT_EQ(em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, EM_QUEUE_UNDEF), EM_TMO_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_tmo_create: there is no queue");
    em_timer_attr_t attr;
    em_timer_attr_init(&attr);
    attr.num_tmo = 1;
    attr.resparam.max_tmo = hour;
    const em_timer_t small = em_timer_create(&attr);
    const em_tmo_t once = em_tmo_create(small, EM_TMO_FLAG_ONESHOT, core.to.queue);
    EXPECT_EQ(em_tmo_create(small, EM_TMO_FLAG_ONESHOT, core.to.queue), EM_TMO_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_tmo_create: timer 0x2 has as many timeouts as its num_tmo");

    const em_event_t e = make_event();
    em_event_t none = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_set_rel(once, ms, EM_EVENT_UNDEF), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_tmo_set_rel: no event");
    EXPECT_EQ(em_tmo_set_rel(once, hour + ms, e), status_of(EM_ERR_TOOFAR));
    expect_error(EM_ERR_TOOFAR, "em_tmo_set_rel: it is beyond max_tmo of the timer of timeout 0x1");
    EXPECT_EQ(em_tmo_set_rel(once, ~std::uint64_t{0}, e), status_of(EM_ERR_TOOFAR));
    expect_error(EM_ERR_TOOFAR, "em_tmo_set_rel: it is beyond max_tmo");
    EXPECT_EQ(em_tmo_set_abs(once, ~std::uint64_t{0}, e), status_of(EM_ERR_TOOFAR));
    expect_error(EM_ERR_TOOFAR, "em_tmo_set_abs: it is beyond max_tmo");
    EXPECT_EQ(em_tmo_set_rel(once, 0, e), status_of(EM_ERR_TOONEAR)); // and no handler is called
    EXPECT_EQ(em_tmo_set_abs(once, 1, e), status_of(EM_ERR_TOONEAR));
    EXPECT_EQ(em_tmo_set_abs(once, core.now(), e), status_of(EM_ERR_TOONEAR));
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_tmo_set_periodic(once, 0, ms, e), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_tmo_set_periodic: timeout 0x1 is of the other kind (EM_TMO_FLAG_ONESHOT, "
                                     "EM_TMO_FLAG_PERIODIC)");
    EXPECT_EQ(em_tmo_ack(once, e), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_tmo_ack: timeout 0x1 is of the other kind");
    EXPECT_EQ(em_tmo_cancel(once, &none), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_tmo_cancel: the state of timeout 0x1 does not allow it: see em_tmo_get_state()");
    EXPECT_EQ(em_tmo_cancel(once, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_tmo_cancel: a null pointer");
    ASSERT_EQ(em_tmo_set_rel(once, hour, e), EM_OK);
    const em_event_t other = make_event();
    EXPECT_EQ(em_tmo_set_rel(once, hour, other), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_tmo_set_rel: the state of timeout 0x1 does not allow it");

    const em_tmo_t often = core.periodic();
    EXPECT_EQ(em_tmo_set_rel(often, ms, other), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_tmo_set_rel: timeout 0x2 is of the other kind");
    EXPECT_EQ(em_tmo_set_periodic(often, 0, 0, other), status_of(EM_ERR_TOONEAR));
    EXPECT_EQ(em_tmo_set_periodic(often, 1, ms, other), status_of(EM_ERR_TOONEAR));
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_tmo_set_periodic(often, 0, ~std::uint64_t{0}, other), status_of(EM_ERR_TOOFAR));
    expect_error(EM_ERR_TOOFAR, "em_tmo_set_periodic: it is beyond max_tmo");
    EXPECT_EQ(em_tmo_ack(often, other), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_tmo_ack: the state of timeout 0x2 does not allow it");
    ASSERT_EQ(em_tmo_set_periodic(often, 0, ms, other), EM_OK);
    core.await(1);
    EXPECT_EQ(em_tmo_ack(often, EM_EVENT_UNDEF), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_tmo_ack: no event");
    EXPECT_EQ(em_tmo_set_periodic(often, 0, ms, other), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_tmo_set_periodic: the state of timeout 0x2 does not allow it");
    em_free(other);
    EXPECT_EQ(em_tmo_get_state(EM_TMO_UNDEF), EM_TMO_STATE_UNKNOWN);
    expect_error(EM_ERR_BAD_ID, "em_tmo_get_state: there is no timeout");
    EXPECT_EQ(em_tmo_get_stats(EM_TMO_UNDEF, nullptr), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_tmo_get_stats: there is no timeout");
    EXPECT_EQ(em_tmo_get_timer(EM_TMO_UNDEF), EM_TIMER_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_tmo_get_timer: there is no timeout");
}

TEST(timers, queues_that_are_not_scheduled_refused) {
    timed_core core;
    const em_queue_t queue =
        em_queue_create("l", EM_QUEUE_TYPE_LOCAL, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_UNDEF, nullptr);
    EXPECT_EQ(em_tmo_create(core.timer, EM_TMO_FLAG_ONESHOT, queue), EM_TMO_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_tmo_create: queue 0x101 is not scheduled");
}

TEST(timers, rings_are_not_there_yet) {
    timed_core core;
    em_timer_attr_t attr{};
    EXPECT_EQ(em_timer_ring_attr_init(&attr, EM_TIMER_CLKSRC_DEFAULT, 1000, 8, 0), status_of(EM_ERR_NOT_IMPLEMENTED));
    em_timer_ring_param_t ring{};
    EXPECT_EQ(em_timer_ring_capability(&ring), status_of(EM_ERR_NOT_IMPLEMENTED));
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_timer_ring_create(&attr), EM_TIMER_UNDEF);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_timer_ring_create: timer rings are not there yet");
    EXPECT_EQ(em_tmo_set_periodic_ring(EM_TMO_UNDEF, 0, 1, EM_EVENT_UNDEF), status_of(EM_ERR_NOT_IMPLEMENTED));
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_tmo_set_periodic_ring: timer rings are not there yet");
}

} // namespace
} // namespace skerry::test
