// SPDX-License-Identifier: Apache-2.0

// Timers: what they can, and what is refused.

#include <array>
#include <cstdint>

#include <gmock/gmock.h>

#include "timed_core.hpp"

namespace skerry::test {
namespace {

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
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_timer_create: timer rings are not there yet");
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
    const em_event_t received = core.all.events.back();
    EXPECT_EQ(em_tmo_set_periodic(often, 0, ms, received), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_tmo_set_periodic: the state of timeout 0x2 does not allow it");
    em_free(received);
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
