// SPDX-License-Identifier: Apache-2.0

// Event groups: what is refused, and how many there may be.

#include <vector>

#include <gmock/gmock.h>

#include "one_group.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

TEST(groups, refusals) {
    this_core core;
    one_group g;
    EXPECT_EQ(em_event_group_delete(no_such_group()), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_event_group_delete: there is no event group 0x4d");
    EXPECT_EQ(em_event_group_is_ready(EM_EVENT_GROUP_UNDEF), EM_FALSE);
    expect_error(EM_ERR_BAD_ID, "em_event_group_is_ready: there is no event group");
    EXPECT_EQ(em_event_group_abort(no_such_group()), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_event_group_abort: there is no event group 0x4d");
    EXPECT_EQ(em_event_group_abort(g.group), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_event_group_abort: event group 0x1 is not under way");
    EXPECT_EQ(em_event_group_apply(no_such_group(), 1, 0, nullptr), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_event_group_apply: there is no event group 0x4d");
    EXPECT_EQ(em_event_group_apply(g.group, 0, 0, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_group_apply: 0 events are less than 1");
    EXPECT_EQ(em_event_group_apply(g.group, 1, 1, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_group_apply: 1 notifications without a table");
    const std::vector<em_notif_t> many(7, g.notification());
    EXPECT_EQ(em_event_group_apply(g.group, 1, 7, many.data()), status_of(EM_ERR_TOO_LARGE));
    expect_error(EM_ERR_TOO_LARGE, "em_event_group_apply: 7 notifications are more than 6");
    const em_notif_t to_itself = g.notification(g.group);
    EXPECT_EQ(em_event_group_apply(g.group, 1, 1, &to_itself), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_group_apply: a notification of event group 0x1 counts for itself");
    g.apply(1);
    EXPECT_EQ(em_event_group_apply(g.group, 1, 0, nullptr), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE,
                 "em_event_group_apply: event group 0x1 is under way; wait for its notification, or abort it");
    EXPECT_EQ(em_event_group_delete(g.group), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_event_group_delete: event group 0x1 is under way");
    EXPECT_EQ(em_event_group_increment(0), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_group_increment: 0 events are less than 1");
    EXPECT_EQ(em_event_group_increment(1), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_event_group_increment: no event group is the current one");
    em_notif_t found{};
    EXPECT_EQ(em_event_group_get_notif(g.group, 1, nullptr), 0);
    expect_error(EM_ERR_BAD_ARG, "em_event_group_get_notif: 1 notifications without a table");
    EXPECT_EQ(em_event_group_get_notif(no_such_group(), 1, &found), 0);
    expect_error(EM_ERR_BAD_ID, "em_event_group_get_notif: there is no event group 0x4d");
    EXPECT_EQ(em_event_group_get_notif(g.group, 0, nullptr), 0);
    EXPECT_EQ(em_event_group_get_notif(g.group, 1, &found), 1);
    EXPECT_EQ(found.queue, g.listener.queue);
    ASSERT_EQ(em_event_group_abort(g.group), EM_OK);
    EXPECT_EQ(em_event_group_get_notif(g.group, 1, &found), 0);
}

TEST(groups, sending_to_them_refused) {
    this_core core;
    one_group g;
    const em_event_t e = make_event();
    EXPECT_EQ(em_send_group(e, g.worker.queue, no_such_group()), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_send_group: there is no event group 0x4d");
    EXPECT_EQ(em_send_group(e, EM_QUEUE_UNDEF, g.group), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_send_group: there is no queue");
    EXPECT_EQ(em_send_group(EM_EVENT_UNDEF, g.worker.queue, g.group), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_send_group: no event");
    EXPECT_EQ(em_send_group_multi(nullptr, 1, g.worker.queue, g.group), 0);
    expect_error(EM_ERR_BAD_ARG, "em_send_group_multi: 1 events without a table");
    EXPECT_EQ(em_send_group_multi(&e, -1, g.worker.queue, g.group), 0);
    expect_error(EM_ERR_BAD_ARG, "em_send_group_multi: -1 events without a table");
    EXPECT_EQ(em_send_group_multi(&e, 0, g.worker.queue, g.group), 0);
    const em_queue_t closed =
        em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    g.apply(1);
    EXPECT_EQ(em_send_group(e, closed, g.group), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_send_group: no execution object receives from queue");
    ASSERT_EQ(em_send(e, g.worker.queue), EM_OK); // it is ours, and has no group
    this_core::dispatch(1);
    EXPECT_THAT(g.work.groups, testing::ElementsAre(EM_EVENT_GROUP_UNDEF));
    ASSERT_EQ(em_send_group(make_event(), g.worker.queue, EM_EVENT_GROUP_UNDEF), EM_OK); // as em_send()
    this_core::dispatch(1);
    EXPECT_EQ(g.work.groups.back(), EM_EVENT_GROUP_UNDEF);
    EXPECT_TRUE(take_errors().empty());
}

TEST(groups, an_unscheduled_queue_counts_for_none) {
    this_core core;
    const em_queue_t queue =
        em_queue_create("u", EM_QUEUE_TYPE_UNSCHEDULED, EM_QUEUE_PRIO_UNDEF, EM_QUEUE_GROUP_UNDEF, nullptr);
    const em_event_group_t group = em_event_group_create();
    ASSERT_EQ(em_event_group_apply(group, 1, 0, nullptr), EM_OK);
    const em_event_t event = make_event();
    EXPECT_EQ(em_send_group(event, queue, group), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG,
                 "em_send_group: event groups do not count what goes to queue 0x100, which nobody receives from");
    em_free(event);
}

TEST(groups, all_of_them) {
    this_core core;
    EXPECT_EQ(em_event_group_get_first(nullptr), EM_EVENT_GROUP_UNDEF);
    EXPECT_EQ(em_event_group_get_next(), EM_EVENT_GROUP_UNDEF);
    std::vector<em_event_group_t> made;
    while (em_event_group_t const group = em_event_group_create()) {
        made.push_back(group);
    }
    EXPECT_EQ(made.size(), 1024U);
    expect_error(EM_ERR_ALLOC_FAILED, "em_event_group_create: there are 1024 event groups already");
    for (const std::size_t gone : {0U, 500U, 1023U}) {
        ASSERT_EQ(em_event_group_delete(made[gone]), EM_OK);
        made[gone] = EM_EVENT_GROUP_UNDEF;
    }
    std::erase(made, EM_EVENT_GROUP_UNDEF);
    unsigned count = 0;
    EXPECT_EQ(gone_through(em_event_group_get_first(&count), em_event_group_get_next), made);
    EXPECT_EQ(count, 1021U);
    EXPECT_EQ(em_event_group_get_next(), EM_EVENT_GROUP_UNDEF);
}

TEST(groups, without_a_machine) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    EXPECT_EQ(em_event_group_create(), EM_EVENT_GROUP_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED, "em_event_group_create: em_init() was not called");
    EXPECT_EQ(em_event_group_current(), EM_EVENT_GROUP_UNDEF);
    EXPECT_EQ(em_event_group_get_next(), EM_EVENT_GROUP_UNDEF);
    em_event_group_processing_end();
    EXPECT_TRUE(take_errors().empty());
    static_cast<void>(em_unregister_error_handler());
}

} // namespace
} // namespace skerry::test
