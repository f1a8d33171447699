// SPDX-License-Identifier: Apache-2.0

// Event groups: what counts, and when they notify.

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <skerry/skerry.hpp>

#include "one_group.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// --- counting -------------------------------------------------------------------------------------------------------

class groups_on : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(groups, groups_on, testing::Values(1, 2, 4));

struct joined {
    std::atomic<int> worked{0};
    std::atomic<int> tasks{0};
    std::atomic<int> told{0};
    std::atomic<int> worked_when_told{0};
    std::atomic<int> tasks_when_told{0};
};

TEST_P(groups_on, a_group_notifies_once_after_count_receives) {
    constexpr int events = 300;
    cores machine(GetParam());
    joined j;
    const receiver worker = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            joined& all = *static_cast<joined*>(context);
            em_free(event);
            ++all.worked;
            static_cast<void>(skerry::submit([&all] { ++all.tasks; })); // what it has begun counts with it
        },
        &j, EM_QUEUE_TYPE_PARALLEL);
    const receiver listener = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            joined& all = *static_cast<joined*>(context);
            em_free(event);
            all.worked_when_told = all.worked.load();
            all.tasks_when_told = all.tasks.load();
            ++all.told;
        },
        &j, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_HIGHEST);
    const em_event_group_t group = em_event_group_create();
    for (int round = 1; round <= 5; ++round) {
        const std::array<em_notif_t, 3> then{em_notif_t{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF},
                                             em_notif_t{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF},
                                             em_notif_t{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF}};
        ASSERT_EQ(em_event_group_apply(group, events, 3, then.data()), EM_OK);
        for (int i = 0; i < events; ++i) {
            ASSERT_EQ(em_send_group(make_event(), worker.queue, group), EM_OK);
        }
        cores::until([&] { return j.told == 3 * round; });
        EXPECT_EQ(j.worked_when_told, events * round);
        EXPECT_EQ(j.tasks_when_told, events * round);
    }
    ASSERT_EQ(em_eo_stop_sync(worker.eo), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(listener.eo), EM_OK);
    EXPECT_EQ(j.told, 15);
    EXPECT_EQ(em_event_group_delete(group), EM_OK);
    EXPECT_TRUE(take_errors().empty());
}

struct tree {
    em_queue_t queue = EM_QUEUE_UNDEF;
    std::atomic<int> nodes{0};
    std::atomic<int> nodes_when_told{-1};
};
void grow(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    tree& t = *static_cast<tree*>(context);
    const int depth = free_value(event);
    ++t.nodes;
    if (depth == 0) {
        return;
    }
    const std::array<em_event_t, 2> below{make_event(depth - 1), make_event(depth - 1)};
    ASSERT_EQ(em_event_group_increment(2), EM_OK);
    ASSERT_EQ(em_send_group_multi(below.data(), 2, t.queue, em_event_group_current()), 2);
}

TEST_P(groups_on, a_group_that_grows_while_it_is_received_notifies_behind_the_last_one) {
    cores machine(GetParam(), 4096);
    tree t;
    const receiver grower = make_receiver(grow, &t, EM_QUEUE_TYPE_PARALLEL);
    t.queue = grower.queue;
    const receiver listener = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            static_cast<tree*>(context)->nodes_when_told = static_cast<tree*>(context)->nodes.load();
        },
        &t, EM_QUEUE_TYPE_ATOMIC);
    const em_event_group_t group = em_event_group_create();
    const em_notif_t then{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(group, 1, 1, &then), EM_OK);
    ASSERT_EQ(em_send_group(make_event(9), grower.queue, group), EM_OK);
    cores::until([&] { return t.nodes_when_told >= 0; });
    EXPECT_EQ(t.nodes_when_told, 1023);
    ASSERT_EQ(em_eo_stop_sync(listener.eo), EM_OK);
    EXPECT_TRUE(take_errors().empty());
}

TEST(groups, after_abort_and_apply_stale_events_never_count) {
    this_core core;
    one_group g;
    g.apply(2);
    g.send();
    g.send();
    ASSERT_EQ(em_event_group_abort(g.group), EM_OK); // the notification is ours again
    this_core::dispatch(1);
    expect_error(EM_ERR_BAD_ID, "em_dispatch: 1 of 1 events of queue 0x100 count for event group 0x1 no more");
    g.apply(1);
    this_core::dispatch(1);
    expect_error(EM_ERR_BAD_ID, "count for event group 0x1 no more");
    EXPECT_EQ(g.work.received, 2U);
    EXPECT_THAT(g.work.groups, testing::Each(EM_EVENT_GROUP_UNDEF));
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_FALSE);
    g.send();
    this_core::dispatch(2);
    EXPECT_EQ(g.work.groups.back(), g.group);
    EXPECT_EQ(g.told.received, 1U);
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_TRUE);
}

TEST(groups, what_is_sent_in_excess_is_received_without_a_group) {
    this_core core;
    one_group g;
    g.apply(2);
    g.send();
    g.send();
    g.send();
    this_core::dispatch(4);
    expect_error(EM_ERR_BAD_ID, "count for event group 0x1 no more");
    EXPECT_THAT(g.work.groups, testing::ElementsAre(g.group, g.group, EM_EVENT_GROUP_UNDEF));
    EXPECT_EQ(g.told.received, 1U);
}

TEST(groups, of_a_burst_in_excess_one_error_says_how_many) {
    this_core core;
    one_group g;
    em_eo_multircv_param_t p;
    em_eo_multircv_param_init(&p);
    p.start = start_nothing;
    p.stop = stop_nothing;
    p.eo_ctx = &g.work;
    p.receive_multi = [](void* context, em_event_t events[], int num, em_queue_t, void*) {
        script& s = *static_cast<script*>(context);
        em_free_multi(events, num);
        ++s.received;
        s.groups.push_back(em_event_group_current());
    };
    const em_eo_t eo = em_eo_create_multircv("many", &p);
    const em_queue_t q =
        em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    ASSERT_EQ(em_eo_add_queue_sync(eo, q), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    g.apply(3);
    const std::array<em_event_t, 5> five{make_event(), make_event(), make_event(), make_event(), make_event()};
    ASSERT_EQ(em_send_group_multi(five.data(), 5, q, g.group), 5);
    this_core::dispatch(6); // and the notification
    expect_error(EM_ERR_BAD_ID, "em_dispatch: 2 of 5 events of queue 0x102 count for event group 0x1 no more");
    EXPECT_THAT(g.work.groups, testing::ElementsAre(g.group));
    EXPECT_EQ(g.told.received, 1U);
}

TEST(groups, a_deleted_group_counts_nothing_for_the_one_that_gets_its_handle) {
    this_core core;
    one_group g;
    g.apply(1);
    g.send();
    ASSERT_EQ(em_event_group_abort(g.group), EM_OK);
    ASSERT_EQ(em_event_group_delete(g.group), EM_OK);
    ASSERT_EQ(em_event_group_create(), g.group);
    g.apply(1);
    this_core::dispatch(1);
    expect_error(EM_ERR_BAD_ID, "count for event group 0x1 no more");
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_FALSE);
}

TEST(groups, apply_works_inside_the_notifications_receive) {
    this_core core;
    one_group g;
    int rounds = 0;
    g.told.what = [&] {
        if (++rounds < 10) {
            g.apply(2);
            g.send();
            g.send();
        }
    };
    g.apply(2);
    g.send();
    g.send();
    this_core::dispatch(30);
    EXPECT_EQ(rounds, 10);
    EXPECT_EQ(g.work.received, 20U);
    EXPECT_TRUE(take_errors().empty());
}

TEST(groups, events_that_a_receive_function_sends_without_a_group_have_none) {
    this_core core;
    one_group g;
    g.apply(1);
    g.work.what = [&] {
        if (g.work.received == 1) {
            ASSERT_EQ(em_send(make_event(), g.worker.queue), EM_OK);
        }
    };
    g.send();
    this_core::dispatch(3);
    EXPECT_THAT(g.work.groups, testing::ElementsAre(g.group, EM_EVENT_GROUP_UNDEF));
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
}

TEST(groups, an_event_that_was_freed_in_its_queue_counts_for_nothing) {
    this_core core(2);
    one_group g;
    const em_notif_t then{make_event(), g.listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(g.group, 1, 1, &then), EM_OK);
    g.send();
    ASSERT_EQ(em_eo_stop_sync(g.worker.eo), EM_OK);
    expect_error(EM_ERR_BAD_STATE, "em_eo_stop: 1 events were freed, of queues from which nobody receives any more");
    ASSERT_EQ(em_eo_start_sync(g.worker.eo, nullptr, nullptr), EM_OK);
    ASSERT_EQ(em_send(make_event(), g.worker.queue), EM_OK); // the only one that is free
    this_core::dispatch(1);
    EXPECT_THAT(g.work.groups, testing::ElementsAre(EM_EVENT_GROUP_UNDEF));
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_FALSE);
    EXPECT_TRUE(take_errors().empty());
}

TEST(groups, abort_has_one_outcome) {
    cores machine(2, 64);
    joined j;
    const receiver worker = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            ++static_cast<joined*>(context)->worked;
        },
        &j, EM_QUEUE_TYPE_PARALLEL);
    const receiver listener = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            ++static_cast<joined*>(context)->told;
        },
        &j, EM_QUEUE_TYPE_PARALLEL);
    const em_event_group_t group = em_event_group_create();
    constexpr int rounds = 1000;
    int aborted = 0;
    for (int i = 0; i < rounds; ++i) {
        const em_notif_t then{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF};
        ASSERT_EQ(em_event_group_apply(group, 1, 1, &then), EM_OK);
        ASSERT_EQ(em_send_group(make_event(), worker.queue, group), EM_OK);
        if (i % 2 == 0) {
            std::this_thread::yield();
        }
        if (em_event_group_abort(group) == EM_OK) {
            em_free(then.event); // it will not be sent
            ++aborted;
        }
        cores::until([&] { return j.worked == i + 1 && j.told == i + 1 - aborted; });
    }
    ASSERT_EQ(em_eo_stop_sync(worker.eo), EM_OK);
    ASSERT_EQ(em_eo_stop_sync(listener.eo), EM_OK);
    EXPECT_EQ(j.told, rounds - aborted);
    static_cast<void>(take_errors());
}

// --- in a receive function ------------------------------------------------------------------------------------------

TEST(groups, processing_end_counts_at_once) {
    this_core core;
    one_group g;
    g.apply(1);
    g.work.what = [&] {
        em_event_group_processing_end();
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        EXPECT_EQ(em_event_group_is_ready(g.group), EM_TRUE);
        em_event_group_processing_end(); // nothing
        EXPECT_EQ(em_event_group_increment(1), status_of(EM_ERR_BAD_CONTEXT));
    };
    g.send();
    this_core::dispatch(2);
    expect_error(EM_ERR_BAD_CONTEXT, "em_event_group_increment: no event group is the current one");
    EXPECT_EQ(g.told.received, 1U);
}

TEST(groups, assign_counts_a_receive_function_that_has_begun) {
    this_core core;
    one_group g;
    g.apply(2);
    g.work.what = [&] {
        EXPECT_EQ(em_event_group_assign(g.group), EM_OK);
        EXPECT_EQ(em_event_group_current(), g.group);
        EXPECT_EQ(em_event_group_assign(g.group), status_of(EM_ERR_BAD_CONTEXT));
    };
    ASSERT_EQ(em_send(make_event(), g.worker.queue), EM_OK);
    this_core::dispatch(1);
    expect_error(EM_ERR_BAD_CONTEXT, "em_event_group_assign: the receive function has an event group");
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_FALSE);
    ASSERT_EQ(em_send(make_event(), g.worker.queue), EM_OK);
    this_core::dispatch(2);
    expect_error(EM_ERR_BAD_CONTEXT, "em_event_group_assign: the receive function has an event group");
    EXPECT_EQ(g.told.received, 1U);
    g.work.what = [&] {
        EXPECT_EQ(em_event_group_assign(g.group), status_of(EM_ERR_BAD_STATE));
        expect_error(EM_ERR_BAD_STATE, "em_event_group_assign: event group 0x1 waits for no more events");
        EXPECT_EQ(em_event_group_assign(no_such_group()), status_of(EM_ERR_BAD_ID));
        expect_error(EM_ERR_BAD_ID, "em_event_group_assign: there is no event group 0x4d");
    };
    ASSERT_EQ(em_send(make_event(), g.worker.queue), EM_OK);
    this_core::dispatch(1);
    EXPECT_EQ(em_event_group_assign(g.group), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_event_group_assign: outside of a receive function");
}

TEST(groups, an_abort_while_an_event_is_received_sends_nothing) {
    this_core core;
    one_group g;
    g.apply(1);
    g.work.what = [&] {
        em_notif_t then{};
        ASSERT_EQ(em_event_group_get_notif(g.group, 1, &then), 1);
        ASSERT_EQ(em_event_group_abort(g.group), EM_OK);
        em_free(then.event); // it is ours
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
        g.apply(1);
        EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
    };
    g.send();
    this_core::dispatch(1);
    EXPECT_EQ(em_event_group_is_ready(g.group), EM_FALSE); // the new count was not touched
    g.work.what = [] {};
    g.send();
    this_core::dispatch(2);
    EXPECT_EQ(g.told.received, 1U);
    EXPECT_TRUE(take_errors().empty());
}

TEST(groups, what_a_start_function_sends_to_a_group_counts) {
    this_core core;
    script work;
    script told;
    static em_queue_t queue;
    static em_event_group_t group;
    const receiver listener = make_receiver(follow, &told, EM_QUEUE_TYPE_ATOMIC);
    group = em_event_group_create();
    const em_notif_t then{make_event(), listener.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(group, 2, 1, &then), EM_OK);
    const em_eo_t eo = em_eo_create(
        "starts",
        [](void*, em_eo_t, const em_eo_conf_t*) -> em_status_t {
            const std::array<em_event_t, 2> both{make_event(), make_event()};
            return em_send_group_multi(both.data(), 2, queue, group) == 2 ? EM_OK : EM_ERROR;
        },
        nullptr, stop_nothing, nullptr, follow, &work);
    queue = em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    ASSERT_EQ(em_eo_add_queue_sync(eo, queue), EM_OK);
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    this_core::dispatch(3);
    EXPECT_THAT(work.groups, testing::ElementsAre(group, group));
    EXPECT_EQ(told.received, 1U);
    EXPECT_TRUE(take_errors().empty());
}

// --- notifications --------------------------------------------------------------------------------------------------

TEST(groups, notifications_of_groups_and_of_execution_objects_may_count_for_groups) {
    this_core core;
    one_group g;
    script last;
    const receiver end = make_receiver(follow, &last, EM_QUEUE_TYPE_ATOMIC);
    const em_event_group_t second = em_event_group_create();
    const em_notif_t at_the_end{make_event(), end.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_event_group_apply(second, 2, 1, &at_the_end), EM_OK);
    const em_notif_t of_group = g.notification(second);
    ASSERT_EQ(em_event_group_apply(g.group, 1, 1, &of_group), EM_OK);
    g.send();
    this_core::dispatch(2);
    EXPECT_THAT(g.told.groups, testing::ElementsAre(second));
    EXPECT_EQ(last.received, 0U);
    const em_notif_t of_stop = g.notification(second);
    ASSERT_EQ(em_eo_stop(g.worker.eo, 1, &of_stop), EM_OK);
    this_core::dispatch(2);
    EXPECT_THAT(g.told.groups, testing::ElementsAre(second, second));
    EXPECT_EQ(last.received, 1U);
    const em_notif_t nowhere = g.notification(no_such_group());
    EXPECT_EQ(em_eo_start(g.worker.eo, nullptr, nullptr, 1, &nowhere), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_eo_start: there is no event group 0x4d");
    em_free(nowhere.event);
}

TEST(groups, the_tail_that_a_full_queue_does_not_take_stays_the_callers) {
    this_core core;
    script work;
    const em_queue_t two = make_receiver(follow, &work, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, 2).queue;
    const em_event_group_t group = em_event_group_create();
    ASSERT_EQ(em_event_group_apply(group, 3, 0, nullptr), EM_OK);
    const std::array<em_event_t, 3> three{make_event(), make_event(), make_event()};
    EXPECT_EQ(em_send_group_multi(three.data(), 3, two, group), 2);
    expect_error(EM_ERR_OPERATION_FAILED, "em_send_group_multi: queue 0x100 holds as many events as it may");
    this_core::dispatch(2);
    EXPECT_EQ(em_event_group_is_ready(group), EM_FALSE);
    EXPECT_EQ(em_send_group_multi(&three[2], 1, two, group), 1);
    this_core::dispatch(1);
    EXPECT_EQ(em_event_group_is_ready(group), EM_TRUE);
}

} // namespace
} // namespace skerry::test
