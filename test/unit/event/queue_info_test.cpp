// SPDX-License-Identifier: Apache-2.0

// What is said of queues, and how many there may be.

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

TEST(queues, have_the_handles_that_were_chosen) {
    cores machine(1);
    const auto chosen = EM_REINTERPRET_CAST(em_queue_t, 17);
    ASSERT_EQ(em_queue_create_static("s", EM_QUEUE_TYPE_ATOMIC, 3, EM_QUEUE_GROUP_DEFAULT, chosen, nullptr), EM_OK);
    EXPECT_EQ(em_queue_find("s"), chosen);
    EXPECT_EQ(em_queue_get_index(chosen), 16);
    EXPECT_EQ(em_queue_create_static("s", EM_QUEUE_TYPE_ATOMIC, 3, EM_QUEUE_GROUP_DEFAULT, chosen, nullptr),
              status_of(EM_ERR_NOT_FREE));
    expect_error(EM_ERR_NOT_FREE, "em_queue_create_static: queue 0x11 is there already");
    EXPECT_EQ(em_queue_create_static("s", EM_QUEUE_TYPE_ATOMIC, 3, EM_QUEUE_GROUP_DEFAULT,
                                     EM_REINTERPRET_CAST(em_queue_t, 256), nullptr),
              status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_queue_create_static: handle 0x100 is not from 1 to 255");
    ASSERT_EQ(em_queue_delete(chosen), EM_OK);
    EXPECT_EQ(em_queue_find("s"), EM_QUEUE_UNDEF);
    const em_queue_t any = make_queue(EM_QUEUE_TYPE_PARALLEL);
    EXPECT_GT(any, chosen);
}

TEST(queues, say_what_they_are) {
    cores machine(1);
    const em_queue_t q = em_queue_create("a name", EM_QUEUE_TYPE_PARALLEL_ORDERED, 5, EM_QUEUE_GROUP_DEFAULT, nullptr);
    std::array<char, 16> name{};
    EXPECT_EQ(em_queue_get_name(q, name.data(), name.size()), 6U);
    EXPECT_STREQ(name.data(), "a name");
    EXPECT_EQ(em_queue_get_name(q, name.data(), 4), 3U);
    EXPECT_STREQ(name.data(), "a n");
    EXPECT_EQ(em_queue_find("a name"), q);
    EXPECT_EQ(em_queue_find("a"), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_queue_find(""), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_queue_find(nullptr), EM_QUEUE_UNDEF);
    EXPECT_EQ(em_queue_get_priority(q), 5U);
    EXPECT_EQ(em_queue_get_type(q), static_cast<em_queue_type_t>(EM_QUEUE_TYPE_PARALLEL_ORDERED));
    EXPECT_EQ(em_queue_get_group(q), EM_QUEUE_GROUP_DEFAULT);
    int runtime = 0;
    EXPECT_EQ(em_queue_get_num_prio(&runtime), EM_QUEUE_PRIO_NUM);
    EXPECT_EQ(runtime, EM_QUEUE_PRIO_NUM);
    EXPECT_EQ(em_queue_get_num_prio(nullptr), EM_QUEUE_PRIO_NUM);
    EXPECT_EQ(em_queue_current(), EM_QUEUE_UNDEF);
    EXPECT_TRUE(take_errors().empty());
    const em_queue_t u = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    EXPECT_EQ(em_queue_get_group(u), EM_QUEUE_GROUP_UNDEF);
    EXPECT_EQ(em_queue_get_priority(u), static_cast<em_queue_prio_t>(EM_QUEUE_PRIO_UNDEF));

    EXPECT_EQ(em_queue_get_priority(EM_QUEUE_UNDEF), static_cast<em_queue_prio_t>(EM_QUEUE_PRIO_UNDEF));
    expect_error(EM_ERR_BAD_ID, "em_queue_get_priority: there is no queue");
    EXPECT_EQ(em_queue_get_type(EM_QUEUE_UNDEF), static_cast<em_queue_type_t>(EM_QUEUE_TYPE_UNDEF));
    expect_error(EM_ERR_BAD_ID, "em_queue_get_type: there is no queue");
    EXPECT_EQ(em_queue_get_group(EM_QUEUE_UNDEF), EM_QUEUE_GROUP_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_queue_get_group: there is no queue");
    EXPECT_EQ(em_queue_get_index(EM_QUEUE_UNDEF), -1);
    expect_error(EM_ERR_BAD_ID, "em_queue_get_index: there is no queue");
    EXPECT_EQ(em_queue_get_name(EM_QUEUE_UNDEF, name.data(), name.size()), 0U);
    EXPECT_STREQ(name.data(), "");
    expect_error(EM_ERR_BAD_ID, "em_queue_get_name: there is no queue");
    EXPECT_EQ(em_queue_get_name(q, nullptr, 4), 0U);
    expect_error(EM_ERR_BAD_POINTER, "em_queue_get_name: no room for a name");
}

TEST(queues, are_gone_through) {
    cores machine(1);
    unsigned count = 99;
    EXPECT_EQ(em_queue_get_first(&count), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(em_queue_get_next(), EM_QUEUE_UNDEF);
    std::vector<em_queue_t> made;
    for (int i = 0; i < 5; ++i) {
        made.push_back(make_queue(EM_QUEUE_TYPE_ATOMIC));
    }
    ASSERT_EQ(em_queue_delete(made[2]), EM_OK);
    made.erase(made.begin() + 2);
    EXPECT_EQ(gone_through(em_queue_get_first(&count), em_queue_get_next), made);
    EXPECT_EQ(count, 4U);
    EXPECT_EQ(em_queue_get_first(nullptr), made[0]);
}

// A step that looked at all queues would last for hours.
TEST(queues, sixty_five_thousand_work) {
    cores machine(2, 4096);
    constexpr std::size_t many = 65'000;
    std::atomic<std::size_t> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const em_eo_t eo = make_object(count);
    std::vector<em_queue_t> all;
    for (std::size_t i = 0; i < many; ++i) {
        all.push_back(add_queue(eo, make_queue(i % 2 == 0 ? EM_QUEUE_TYPE_ATOMIC : EM_QUEUE_TYPE_PARALLEL,
                                               EM_QUEUE_GROUP_DEFAULT, i % EM_QUEUE_PRIO_NUM)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (const em_queue_t q : all) {
        em_event_t e = make_event();
        while (e == EM_EVENT_UNDEF) {
            std::this_thread::yield();
            e = make_event();
        }
        ASSERT_EQ(em_send(e, q), EM_OK);
    }
    cores::until([&] { return received == many; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    ASSERT_EQ(em_eo_remove_queue_all_sync(eo, EM_TRUE), EM_OK);
    unsigned left = 1;
    EXPECT_EQ(em_queue_get_first(&left), EM_QUEUE_UNDEF);
    EXPECT_EQ(left, 0U);
    ASSERT_EQ(em_eo_delete(eo), EM_OK);
}

} // namespace
} // namespace skerry::test
