// SPDX-License-Identifier: Apache-2.0

// What a suspended receive function keeps of its context: atomic, ordered, of an event group, local.

#include <array>
#include <atomic>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "cooperative.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

using testing::ElementsAre;

TEST_F(cooperative, an_atomic_context_is_kept_and_other_queues_go_on) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        if (value < 10) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
            seen.add(value + 10);
        }
        em_free(e);
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver atomic = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver other = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, atomic.queue);
    send_value(2, atomic.queue);
    for (int i = 100; i < 103; ++i) {
        send_value(i, other.queue);
    }
    this_core::dispatch(4);
    EXPECT_THAT(seen.all(), ElementsAre(1, 100, 101, 102)); // not 2
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(2), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 7; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 100, 101, 102, 11, 2, 12));
}

TEST_F(cooperative, an_atomic_group_is_kept) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        seen.add(value + 10);
        em_free(e);
    };
    const em_atomic_group_t group = em_atomic_group_create("g", EM_QUEUE_GROUP_DEFAULT);
    const em_eo_t eo = make_object(wait);
    std::array<em_queue_t, 2> queues{};
    for (em_queue_t& q : queues) {
        q = em_queue_create_ag("q", EM_QUEUE_PRIO_NORMAL, group, nullptr);
        static_cast<void>(add_queue(eo, q));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(1, queues[0]);
    send_value(2, queues[1]);
    this_core::dispatch(1);
    EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
    EXPECT_THAT(seen.all(), ElementsAre(1));
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(2), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 4; });
    EXPECT_THAT(seen.all(), ElementsAre(1, 11, 2, 12));
}

TEST_F(cooperative, what_ends_a_context_ends_that_of_the_call) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        seen.add(value);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        em_atomic_processing_end();
        EXPECT_EQ(em_sched_context_type_current(nullptr), EM_SCHED_CONTEXT_TYPE_NONE);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        seen.add(value + 10);
        em_free(e);
    };
    const receiver a = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver b = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 1; i < 3; ++i) {
        send_value(i, a.queue);
        send_value(i + 2, b.queue);
    }
    this_core::dispatch(2); // 1 and 3 wait
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1); // 2, since 1 has let its queue go, and not 4
    EXPECT_THAT(seen.all(), ElementsAre(1, 3, 2));
    for (const int i : {1, 2, 3}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch(1); // 4
    EXPECT_EQ(w.resume(4), EM_OK);
    this_core::dispatch_until([&] { return w.count() == 3; });
    for (const int i : {2, 3, 4}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch_until([&] { return seen.size() == 8; });
}

TEST_F(cooperative, order_is_kept) {
    const this_core core;
    waiting w;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        send_value(10 * value, target.queue);
        if (value % 2 == 0) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
        }
        if (value == 4) {
            em_ordered_processing_end(); // of its own place
        }
        send_value(10 * value + 1, target.queue);
        em_free(e);
    };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < 6; ++i) {
        send_value(i, ordered.queue);
    }
    this_core::dispatch(7); // and the first of 0, which goes at once
    EXPECT_THAT(seen.all(), ElementsAre(0));
    for (const int i : {4, 2}) {
        EXPECT_EQ(w.resume(i), EM_OK);
        EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
    }
    this_core::dispatch(1); // what 4 has sent outside of its order
    EXPECT_THAT(seen.all(), ElementsAre(0, 41));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch(10);
    EXPECT_THAT(seen.all(), ElementsAre(0, 41, 1, 10, 11, 20, 21, 30, 31, 40, 50, 51));
}

TEST_F(cooperative, an_event_group_waits_for_it) {
    const this_core core;
    waiting w;
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        seen.add(free_value(e));
    };
    const receiver told = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_event_group_t group = em_event_group_create();
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_event_group_current(), group);
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        EXPECT_EQ(em_event_group_current(), group);
        em_event_group_processing_end();
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        seen.add(3);
        em_free(e);
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const em_notif_t then{make_event(2), told.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(group, 1, 1, &then), EM_OK);
    ASSERT_EQ(em_send_group(make_event(0), r.queue, group), EM_OK);
    this_core::dispatch(1);
    send_value(1, told.queue);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(1));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch(1); // the notification
    EXPECT_THAT(seen.all(), ElementsAre(1, 2));
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 3; });
    EXPECT_EQ(em_event_group_delete(group), EM_OK);
}

TEST_F(cooperative, what_it_sends_to_local_queues_is_received_behind_it_in_its_context) {
    const this_core core;
    waiting w;
    log seen;
    em_queue_t expected = EM_QUEUE_UNDEF;
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_queue_t context = EM_QUEUE_UNDEF;
        EXPECT_EQ(em_sched_context_type_current(&context), EM_SCHED_CONTEXT_TYPE_ATOMIC);
        EXPECT_EQ(context, expected);
        const int value = value_of(e);
        seen.add(value);
        if (value == 3) { // suspended itself, in the same context
            EXPECT_EQ(w.wait(e, value), EM_OK);
            EXPECT_EQ(em_sched_context_type_current(&context), EM_SCHED_CONTEXT_TYPE_ATOMIC);
            EXPECT_EQ(context, expected);
            seen.add(13);
        }
        em_free(e);
    };
    const em_eo_t eo = make_object(note);
    const em_queue_t local = add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    receive_by wait = [&](em_event_t e, em_queue_t q) {
        const int value = value_of(e);
        expected = q;
        send_value(value, local);
        if (value == 1) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
            expected = q;
            send_value(3, local);
            send_value(4, local);
        }
        em_free(e);
    };
    const receiver a = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    const receiver b = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    send_value(1, a.queue);
    this_core::dispatch(1);
    send_value(2, b.queue);
    this_core::dispatch(2); // with its local one
    EXPECT_THAT(seen.all(), ElementsAre(2));
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(2); // 1 and 3, which waits
    EXPECT_THAT(seen.all(), ElementsAre(2, 1, 3));
    send_value(2, b.queue);
    this_core::dispatch(2);
    expected = a.queue;
    EXPECT_EQ(w.resume(3), EM_OK);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(2, 1, 3, 2, 13, 4));
}

TEST_F(cooperative, a_local_event_of_the_thread_itself_is_suspended_outside_of_all_contexts) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        EXPECT_EQ(em_sched_context_type_current(nullptr), EM_SCHED_CONTEXT_TYPE_NONE);
        if (value == 1) {
            EXPECT_EQ(w.wait(e, value), EM_OK);
        }
        seen.add(value);
        em_free(e);
    };
    const em_eo_t eo = make_object(wait);
    const em_queue_t local = add_queue(eo, make_queue(EM_QUEUE_TYPE_LOCAL));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (const int i : {1, 2}) {
        send_value(i, local);
    }
    this_core::dispatch(1);
    EXPECT_EQ(seen.size(), 0U);
    send_value(3, local); // it is not 1's
    this_core::dispatch(1);
    EXPECT_EQ(w.resume(1), EM_OK);
    this_core::dispatch(1);
    EXPECT_THAT(seen.all(), ElementsAre(3, 1, 2));
}

TEST_F(cooperative, it_may_begin_tasks_before_and_behind) {
    const this_core core;
    waiting w;
    std::atomic<int> ran{0};
    int ended = 0;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const auto many = [&] {
            skerry::finish([&](skerry::scope& here) {
                for (int i = 0; i < 50; ++i) {
                    here.async([&] { ++ran; });
                }
            });
            int mine = 0;
            skerry::spawn([&](int&) { ++ran; }, skerry::inout(mine));
            skerry::taskwait();
            skerry::parallel_for(0, 50, [&](int) { ++ran; });
        };
        for (int turn = 0; turn < 3; ++turn) {
            many();
            EXPECT_EQ(w.wait(e, value_of(e)), EM_OK) << take_errors().at(0).text << turn;
        }
        many();
        int mine = 0;
        skerry::spawn([&](int&) { ++ran; }, skerry::inout(mine)); // which the end waits for
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 4; ++i) {
        send_value(i, r.queue);
    }
    this_core::dispatch(4);
    for (int turn = 0; turn < 3; ++turn) {
        for (const int i : {2, 0, 3, 1}) {
            EXPECT_EQ(w.resume(i), EM_OK);
            EXPECT_EQ(em_dispatch_rounds(1, nullptr, nullptr), EM_OK);
        }
    }
    EXPECT_EQ(ended, 4);
    EXPECT_EQ(ran, 4 * (4 * 101 + 1));
}

} // namespace
} // namespace skerry::test
