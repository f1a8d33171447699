// SPDX-License-Identifier: Apache-2.0

// Rules 22 to 24, 27, 29 and 30: event groups, verification, timers, and the end.

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <skerry/skerry.hpp>

#include "../../unit/event/timed_core.hpp"
#include "ways.hpp"

namespace skerry::test {
namespace {

// --- event groups ---------------------------------------------------------------------------------------------------

em_notif_t notification(em_queue_t to) { return {make_event(), to, EM_EVENT_GROUP_UNDEF}; }

void apply(em_event_group_t group, int count, em_queue_t told) {
    const em_notif_t then = notification(told);
    ASSERT_EQ(em_event_group_apply(group, count, 1, &then), EM_OK);
}
void send_counted(em_queue_t to, em_event_group_t group) { ASSERT_EQ(em_send_group(make_event(), to, group), EM_OK); }

TEST_P(event_rules, r22_an_event_group_notifies_once_behind_its_last_receive) {
    constexpr int rounds = 3;
    constexpr int each = 25;
    std::atomic<int> worked{0};
    std::atomic<int> told{0};
    std::atomic<int> worked_when_told{0};
    receive_by work = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_preschedule();
        static_cast<void>(skerry::submit([&worked] { // is waited for by the return
            dawdle(1);
            ++worked;
        }));
    };
    receive_by tell = [&](em_event_t e, em_queue_t) {
        em_free(e);
        worked_when_told = worked.load();
        ++told;
    };
    cores machine(core_count());
    const receiver worker = make_receiver(work, EM_QUEUE_TYPE_PARALLEL);
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGHEST);
    const em_event_group_t group = em_event_group_create();
    for (int round = 1; round <= rounds; ++round) {
        ASSERT_NO_FATAL_FAILURE(apply(group, each, listener.queue));
        for (int i = 0; i < each; ++i) {
            send_counted(worker.queue, group);
        }
        cores::until([&] { return told == round; });
        EXPECT_EQ(worked_when_told, each * round);
    }
    ASSERT_EQ(em_eo_stop_sync(worker.eo), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(listener.eo), EM_OK);
    EXPECT_EQ(told, rounds);
}

TEST_P(event_rules, r23_behind_an_abort_and_a_new_apply_stale_events_never_count) {
    std::atomic<int> worked{0};
    std::atomic<int> counted{0};
    std::atomic<int> told{0};
    receive_by work = [&](em_event_t e, em_queue_t) {
        em_free(e);
        counted += em_event_group_current() != EM_EVENT_GROUP_UNDEF ? 1 : 0;
        ++worked;
    };
    receive_by tell = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++told;
    };
    cores machine(core_count());
    const em_queue_group_t held = make_group(0);
    const receiver worker = make_receiver(work, EM_QUEUE_TYPE_PARALLEL, held);
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC);
    const em_event_group_t group = em_event_group_create();
    const em_notif_t first = notification(listener.queue);
    ASSERT_EQ(em_event_group_apply(group, 2, 1, &first), EM_OK);
    send_counted(worker.queue, group);
    send_counted(worker.queue, group);
    ASSERT_EQ(em_event_group_abort(group), EM_OK);
    em_free(first.event); // it is ours again
    apply(group, 2, listener.queue);
    set_mask(held, all_cores());
    cores::until([&] { return worked == 2; });
    set_mask(held, 0); // so they have returned
    const std::vector<error_seen> stale = take_errors();
    EXPECT_EQ(stale.size(), 2U);
    for (const error_seen& e : stale) {
        EXPECT_EQ(e.error, status_of(EM_ERR_BAD_ID)) << e.text;
    }
    EXPECT_EQ(counted, 0);
    EXPECT_EQ(told, 0);
    EXPECT_EQ(em_event_group_is_ready(group), EM_FALSE);
    send_counted(worker.queue, group);
    send_counted(worker.queue, group);
    set_mask(held, all_cores());
    cores::until([&] { return told == 1; });
    EXPECT_EQ(counted, 2);
}

TEST_P(event_rules, r24_a_group_may_be_applied_where_its_notification_is_received) {
    constexpr int rounds = 8;
    std::atomic<int> worked{0};
    std::atomic<int> told{0};
    em_event_group_t group = EM_EVENT_GROUP_UNDEF;
    em_queue_t worker = EM_QUEUE_UNDEF;
    const auto go_round = [&](em_queue_t listener) {
        apply(group, 3, listener);
        for (int i = 0; i < 3; ++i) {
            send_counted(worker, group);
        }
    };
    receive_by work = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++worked;
    };
    receive_by tell = [&](em_event_t e, em_queue_t q) {
        em_free(e);
        if (told + 1 < rounds) {
            go_round(q);
        }
        ++told;
    };
    cores machine(core_count());
    worker = make_receiver(work, EM_QUEUE_TYPE_PARALLEL).queue;
    const receiver listener = make_receiver(tell, EM_QUEUE_TYPE_ATOMIC);
    group = em_event_group_create();
    go_round(listener.queue);
    cores::until([&] { return told == rounds; });
    EXPECT_EQ(worked, 3 * rounds);
}

// --- verification ---------------------------------------------------------------------------------------------------

void expect_misuse(const std::string& call) {
    expect_error(EM_ERR_EVENT_STATE, "is not the caller's: it was sent or freed; the last call for it was " + call);
}

TEST_P(event_rules_of_verification, r27_a_double_free_a_double_send_and_a_use_after_a_send_are_found) {
    constexpr std::uint32_t events = 8;
    std::atomic<int> received{0};
    std::vector<em_event_t> kept;
    receive_by keep = [&](em_event_t e, em_queue_t) {
        kept.push_back(e);
        ++received;
    };
    cores machine(core_count(), events);
    const em_queue_group_t held = make_group(0);
    const receiver r = make_receiver(keep, EM_QUEUE_TYPE_ATOMIC, held);
    const em_event_t freed = make_event();
    em_free(freed);
    em_free(freed);
    expect_misuse("em_free");
    EXPECT_EQ(em_send(freed, r.queue), status_of(EM_ERR_EVENT_STATE));
    expect_misuse("em_free");
    const em_event_t sent = make_event(5);
    ASSERT_EQ(em_send(sent, r.queue), EM_OK);
    EXPECT_EQ(em_send(sent, r.queue), status_of(EM_ERR_EVENT_STATE));
    expect_misuse("em_send");
    EXPECT_EQ(em_event_pointer(sent), nullptr);
    expect_misuse("em_send");
    em_free(sent);
    expect_misuse("em_send");
    set_mask(held, all_cores());
    cores::until([&] { return received == 1; });
    set_mask(held, 0); // so it has returned
    EXPECT_EQ(em_event_get_size(sent), 0U);
    expect_misuse("em_dispatch");
    EXPECT_EQ(free_value(kept.at(0)), 5); // it came once, and nothing else has happened to it
    EXPECT_EQ(free_events(events), events);
}

// --- timers ---------------------------------------------------------------------------------------------------------

struct ticking {
    log seen;
    std::atomic<int> received{0};
    std::vector<em_event_t> kept; // of one queue, which is atomic
};
void keep_ticks(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    ticking& t = *static_cast<ticking*>(context);
    t.seen.add(value_of(event));
    t.kept.push_back(event);
    ++t.received;
}

TEST_P(event_rules, r29_a_periodic_timeout_that_is_not_acknowledged_stops) {
    ticking t;
    cores machine(core_count(), 64, with_timers);
    const em_timer_t timer = make_timer();
    const receiver r = make_receiver(keep_ticks, &t, EM_QUEUE_TYPE_ATOMIC);
    const em_tmo_t often = em_tmo_create(timer, EM_TMO_FLAG_PERIODIC, r.queue);
    const em_tmo_t mark = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, r.queue);
    ASSERT_EQ(em_tmo_set_periodic(often, 0, ms, make_event(1)), EM_OK);
    cores::until([&] { return t.received == 1; });
    ASSERT_EQ(em_tmo_set_rel(mark, 3 * ms, make_event(2)), EM_OK); // behind three periods
    cores::until([&] { return t.received == 2; });
    EXPECT_EQ(t.seen.all(), (std::vector<int>{1, 2}));
    ASSERT_EQ(em_tmo_ack(often, t.kept.at(0)), EM_OK);
    cores::until([&] { return t.received == 3; });
    em_event_t none = EM_EVENT_UNDEF;
    EXPECT_EQ(em_tmo_delete(often, &none), EM_OK);
    EXPECT_EQ(none, EM_EVENT_UNDEF);
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    em_free(t.kept.at(1));
    em_free(t.kept.at(2));
    EXPECT_EQ(t.seen.all(), (std::vector<int>{1, 2, 1}));
}

TEST_P(event_rules, r29_a_cancel_has_one_outcome) {
    constexpr std::uint32_t events = 8;
    constexpr int rounds = 40;
    std::atomic<int> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    cores machine(core_count(), events, with_timers);
    const em_timer_t timer = make_timer();
    const receiver r = make_receiver(count, EM_QUEUE_TYPE_PARALLEL);
    const em_tmo_t once = em_tmo_create(timer, EM_TMO_FLAG_ONESHOT, r.queue);
    int canceled = 0;
    for (int i = 0; i < rounds; ++i) {
        ASSERT_EQ(em_tmo_set_rel(once, i == 0 ? hour : 2000 + 2000U * static_cast<unsigned>(i), make_event()), EM_OK);
        dawdle(i);
        em_event_t e = EM_EVENT_UNDEF;
        if (const em_status_t status = em_tmo_cancel(once, &e); status == EM_OK) {
            ++canceled;
            em_free(e);
        } else {
            EXPECT_EQ(status, status_of(EM_ERR_TOONEAR));
            EXPECT_EQ(e, EM_EVENT_UNDEF);
        }
        cores::until([&] { return received + canceled >= i + 1; });
    }
    EXPECT_GE(canceled, 1);
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_EQ(received + canceled, rounds);
    EXPECT_EQ(free_events(events), events);
}

// --- the end --------------------------------------------------------------------------------------------------------

// Events lie in queues of all types, and one with a timer. Leaks are found by the address sanitizer.
TEST_P(event_rules, r30_em_term_in_flight_leaks_nothing) {
    for (int round = 0; round < 2; ++round) {
        std::atomic<int> received{0};
        em_queue_t local = EM_QUEUE_UNDEF;
        receive_by pass = [&](em_event_t e, em_queue_t) {
            em_preschedule();
            if (value_of(e) % 2 == 0 || em_send(e, local) != EM_OK) {
                em_free(e);
            }
            ++received;
        };
        receive_by drop = [&](em_event_t e, em_queue_t) { em_free(e); };
        cores machine(core_count(), 128, with_timers);
        local = make_receiver(drop, EM_QUEUE_TYPE_LOCAL).queue;
        const em_queue_group_t held = make_group(0);
        const em_eo_t eo = make_object(pass);
        std::vector<em_queue_t> queues = {make_queue(EM_QUEUE_TYPE_UNSCHEDULED)};
        for (const em_queue_group_t g : {held, em_queue_group_t{EM_QUEUE_GROUP_DEFAULT}}) {
            for (const em_queue_type_t type :
                 {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
                queues.push_back(add_queue(eo, make_queue(type, g)));
            }
        }
        start_object(eo);
        const em_tmo_t far = em_tmo_create(make_timer(), EM_TMO_FLAG_ONESHOT, queues[1]);
        ASSERT_EQ(em_tmo_set_rel(far, hour, make_event()), EM_OK);
        apply(em_event_group_create(), 1, queues[1]);
        for (int i = 0; i < 10; ++i) {
            for (const em_queue_t q : queues) {
                send_value(i, q);
            }
        }
        cores::until([&] { return received != 0; });
    }
}

// Cores that end their sleep for an event alone.
TEST_P(event_rules, r30_a_core_that_sleeps_wakes_for_one_event) {
    std::atomic<int> received{0};
    std::atomic<bool> over{false};
    std::atomic<int> ended{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const bare_machine machine(core_count());
    std::vector<std::thread> threads;
    for (int i = 0; i < core_count(); ++i) {
        threads.emplace_back([&] {
            const core_scope is_a_core;
            while (!over) {
                EXPECT_EQ(em_dispatch_events(1, nullptr, nullptr), EM_OK);
            }
            ++ended;
        });
    }
    const receiver r = make_receiver(count, EM_QUEUE_TYPE_PARALLEL);
    int sent = 0;
    const auto send_one = [&] {
        send_value(0, r.queue);
        ++sent;
        cores::until([&] { return received == sent || ended == core_count(); });
    };
    for (int i = 0; i < 20; ++i) {
        send_one();
    }
    over = true;
    while (ended != core_count()) { // who takes one leaves
        send_one();
    }
    for (std::thread& t : threads) {
        t.join();
    }
}

} // namespace
} // namespace skerry::test
