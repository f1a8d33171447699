// SPDX-License-Identifier: Apache-2.0

// Names of execution objects and their queues, and the removal of all queues.

#include <array>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

TEST(objects, have_names_and_are_gone_through) {
    cores machine(1);
    std::atomic<em_eo_t> current{EM_EO_UNDEF};
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_free(e);
        current = em_eo_current();
    };
    const em_eo_t one = make_object(note, "one");
    const em_eo_t two = make_object(note, "two");
    EXPECT_EQ(em_eo_find("two"), two);
    EXPECT_EQ(em_eo_find("three"), EM_EO_UNDEF);
    std::array<char, 8> name{};
    EXPECT_EQ(em_eo_get_name(one, name.data(), name.size()), 3U);
    EXPECT_STREQ(name.data(), "one");
    EXPECT_EQ(em_eo_get_context(one), &note);
    EXPECT_EQ(em_eo_current(), EM_EO_UNDEF);
    unsigned count = 0;
    EXPECT_EQ(gone_through(em_eo_get_first(&count), em_eo_get_next), (std::vector<em_eo_t>{one, two}));
    EXPECT_EQ(count, 2U);
    std::vector<em_queue_t> made;
    for (int i = 0; i < 3; ++i) {
        made.push_back(add_queue(one, make_queue(i == 1 ? EM_QUEUE_TYPE_LOCAL : EM_QUEUE_TYPE_ATOMIC)));
    }
    EXPECT_EQ(gone_through(em_eo_queue_get_first(&count, one), em_eo_queue_get_next), made);
    EXPECT_EQ(count, 3U);
    EXPECT_EQ(em_eo_queue_get_first(&count, two), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 0U);
    ASSERT_EQ(em_eo_start_sync(one, nullptr, nullptr), EM_OK);
    send_value(0, made[0]);
    cores::until([&] { return current == one; });
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_eo_get_context(EM_EO_UNDEF), nullptr);
    expect_error(EM_ERR_BAD_ID, "em_eo_get_context: there is no execution object");
    EXPECT_EQ(em_eo_get_name(EM_EO_UNDEF, name.data(), name.size()), 0U);
    expect_error(EM_ERR_BAD_ID, "em_eo_get_name: there is no execution object");
    EXPECT_EQ(em_eo_queue_get_first(&count, EM_EO_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_eo_queue_get_first: there is no execution object");
    EXPECT_EQ(em_eo_queue_get_next(), EM_QUEUE_UNDEF);
}

TEST(objects, all_queues_are_removed_when_nobody_receives_from_any) {
    cores machine(2, 16);
    std::atomic<bool> go{false};
    std::atomic<int> inside{0};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++inside;
        wait_for(go);
        --inside;
    };
    const em_eo_t eo = make_object(hold);
    std::vector<em_queue_t> queues;
    for (int i = 0; i < 4; ++i) {
        queues.push_back(add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, queues[0]);
    cores::until([&] { return inside == 1; });
    send_value(1, queues[0]); // is freed
    log told;
    receive_by note = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver to = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_notif_t when{make_event(7), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_eo_remove_queue_all(eo, EM_TRUE, 1, &when), EM_OK);
    expect_error(EM_ERR_BAD_STATE, "em_eo_remove_queue_all: 1 events were freed, of queues from which nobody");
    unsigned count = 0;
    EXPECT_EQ(em_eo_queue_get_first(&count, eo), queues[0]); // the others are gone
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(told.size(), 0U);
    go = true;
    cores::until([&] { return told.size() == 1; });
    EXPECT_EQ(inside, 0);
    EXPECT_EQ(em_eo_queue_get_first(&count, eo), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_queue_get_first(&count), to.queue);
    EXPECT_EQ(count, 1U);
    add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL));
    ASSERT_EQ(em_eo_remove_queue_all_sync(eo, EM_FALSE), EM_OK);
    EXPECT_NE(em_queue_get_first(&count), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 2U);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    ASSERT_EQ(em_eo_delete(eo), EM_OK);
    EXPECT_EQ(em_eo_remove_queue_all_sync(eo, EM_FALSE), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_eo_remove_queue_all_sync: there is no execution object");
    EXPECT_EQ(free_events(16), 16U);
}

TEST(objects, a_receive_function_waits_for_none) {
    cores machine(1);
    std::atomic<bool> done{false};
    receive_by nothing = [](em_event_t e, em_queue_t) { em_free(e); };
    const em_eo_t other =
        em_eo_create("other", start_nothing, nothing_here, stop_nothing, nullptr, receive_by_function, &nothing);
    em_eo_t mine = EM_EO_UNDEF;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        em_free(e);
        EXPECT_EQ(em_eo_start_sync(other, nullptr, nullptr), status_of(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_start_sync: inside of a receive function");
        EXPECT_EQ(em_eo_remove_queue_all_sync(mine, EM_FALSE), status_of(EM_ERR_BAD_CONTEXT));
        expect_error(EM_ERR_BAD_CONTEXT, "em_eo_remove_queue_all_sync: inside of a receive function");
        EXPECT_EQ(em_eo_start(other, nullptr, nullptr, 0, nullptr), EM_OK);
        EXPECT_EQ(em_eo_get_state(other), EM_EO_STATE_STARTING); // this core has to return first
        done = true;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_ATOMIC);
    mine = r.eo;
    send_value(0, r.queue);
    cores::until([&] { return done && em_eo_get_state(other) == EM_EO_STATE_RUNNING; });
}

} // namespace
} // namespace skerry::test
