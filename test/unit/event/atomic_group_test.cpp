// SPDX-License-Identifier: Apache-2.0

// Atomic queues that are received from one at a time.

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

em_atomic_group_t make_atomic_group(const char* name = "group") {
    return em_atomic_group_create(name, EM_QUEUE_GROUP_DEFAULT);
}

TEST(atomic_groups, their_queues_never_overlap) {
    constexpr int each = 2000;
    cores machine(4, 16'384);
    const em_atomic_group_t g = make_atomic_group();
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<int> received{0};
    std::array<std::array<int, 4>, 2> next{}; // of each sender and queue; guarded by the group
    std::atomic<int> disorder{0};
    std::array<em_queue_t, 4> queues{};
    receive_by check = [&](em_event_t e, em_queue_t q) {
        overlaps += ++inside != 1 ? 1 : 0;
        const int value = free_value(e);
        if (value % 8 == 0) {
            std::this_thread::yield();
        }
        for (unsigned i = 0; i < queues.size(); ++i) {
            if (queues[i] == q) {
                disorder += next[static_cast<unsigned>(value) % 2][i]++ != value / 2 ? 1 : 0;
            }
        }
        --inside;
        ++received;
    };
    const em_eo_t eo = make_object(check);
    for (unsigned i = 0; i < queues.size(); ++i) {
        queues[i] = add_queue(eo, em_queue_create_ag("q", i % 2 == 0 ? 4 : i, g, nullptr));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    std::vector<std::thread> senders;
    for (int s = 0; s < 2; ++s) {
        senders.emplace_back([&, s] {
            for (int i = 0; i < each; ++i) {
                send_value(2 * i + s, queues[0]);
                send_value(2 * i + s, queues[1]);
                send_value(2 * i + s, queues[2]);
                send_value(2 * i + s, queues[3]);
            }
        });
    }
    for (std::thread& t : senders) {
        t.join();
    }
    cores::until([&] { return received == 8 * each; });
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(disorder, 0);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(atomic_groups, a_core_in_one_queue_holds_all) {
    cores machine(2);
    const em_atomic_group_t g = make_atomic_group();
    std::atomic<bool> go{false};
    std::atomic<int> held{0};
    std::atomic<int> low{0};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++held;
        wait_for(go);
    };
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++low;
    };
    const em_eo_t eo = make_object(hold);
    const em_queue_t one = add_queue(eo, em_queue_create_ag("q", 6, g, nullptr));
    const em_queue_t two = add_queue(eo, em_queue_create_ag("q", 7, g, nullptr));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    const receiver other = make_receiver(count, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOWEST);
    send_value(0, one);
    cores::until([&] { return held == 1; });
    send_value(0, one);
    send_value(0, two);
    send_value(0, other.queue);
    cores::until([&] { return low == 1 || held > 1; }); // the other core would have chosen the group
    EXPECT_EQ(held, 1);
    go = true;
    cores::until([&] { return held == 3 && low == 1; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

// Notes what is received. A value below 0 keeps its core until it may go.
struct held_first {
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    log seen;
    receive_by receive = [this](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        if (value < 0) {
            inside = true;
            wait_for(go);
        }
        seen.add(value);
    };
};

TEST(atomic_groups, the_best_priority_within_goes_first) {
    cores machine(2);
    const em_atomic_group_t g = make_atomic_group();
    held_first first;
    const em_eo_t eo = make_object(first.receive);
    std::vector<em_queue_t> by_priority;
    for (unsigned p = 0; p < EM_QUEUE_PRIO_NUM; ++p) {
        by_priority.push_back(add_queue(eo, em_queue_create_ag("q", p, g, nullptr)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(-1, by_priority[3]); // holds the group
    cores::until([&] { return first.inside.load(); });
    for (const int p : {3, 1, 7, 0, 5, 2, 6, 4}) {
        send_value(p, by_priority[static_cast<unsigned>(p)]);
    }
    first.go = true;
    cores::until([&] { return first.seen.size() == 9; });
    EXPECT_EQ(first.seen.all(), (std::vector<int>{-1, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(atomic_groups, a_low_priority_within_does_not_wait_for_ever) {
    constexpr unsigned limit = 3;
    const with_options limited([](skerry_em_options_t& o) { o.starvation = limit; });
    const this_core core;
    const em_atomic_group_t g = make_atomic_group();
    log seen;
    receive_by again = [&](em_event_t e, em_queue_t q) {
        seen.add(value_of(e));
        if (value_of(e) == 1 && seen.size() < 20) {
            EXPECT_EQ(em_send(e, q), EM_OK);
        } else {
            em_free(e);
        }
    };
    const em_eo_t eo = make_object(again);
    const em_queue_t high = add_queue(eo, em_queue_create_ag("high", EM_QUEUE_PRIO_HIGH, g, nullptr));
    const em_queue_t low = add_queue(eo, em_queue_create_ag("low", EM_QUEUE_PRIO_LOW, g, nullptr));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, low);
    send_value(1, high);
    this_core::dispatch(20);
    const std::vector<int> all = seen.all();
    EXPECT_EQ(std::find(all.begin(), all.end(), 0) - all.begin(), std::ptrdiff_t{limit});
}

// A group stands among others for the best of its queues, also when that changes while it waits.
TEST(atomic_groups, are_chosen_by_their_best_queue) {
    cores machine(1);
    const em_atomic_group_t g = make_atomic_group();
    held_first first;
    const em_eo_t eo = make_object(first.receive);
    const em_queue_t low = add_queue(eo, em_queue_create_ag("low", 1, g, nullptr));
    const em_queue_t high = add_queue(eo, em_queue_create_ag("high", 6, g, nullptr));
    const em_queue_t between = add_queue(eo, make_queue(EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, 4));
    const em_queue_t gone = add_queue(eo, em_queue_create_ag("gone", 7, g, nullptr));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(-1, between);
    cores::until([&] { return first.inside.load(); });
    send_value(1, low);
    send_value(4, between);
    send_value(6, high);
    send_value(7, gone);
    ASSERT_EQ(em_eo_remove_queue_sync(eo, gone), EM_OK);
    first.go = true;
    cores::until([&] { return first.seen.size() == 4; });
    EXPECT_EQ(first.seen.all(), (std::vector<int>{-1, 6, 4, 1}));
}

TEST(atomic_groups, go_on_when_they_are_let_go) {
    cores machine(2);
    const em_atomic_group_t g = make_atomic_group();
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    receive_by meet = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_atomic_processing_end();
        if (++inside == 2) {
            met = true;
        }
        wait_for(met); // another core has an event of the other queue meanwhile
    };
    const em_eo_t eo = make_object(meet);
    const em_queue_t one = add_queue(eo, em_queue_create_ag("q", 4, g, nullptr));
    const em_queue_t two = add_queue(eo, em_queue_create_ag("q", 4, g, nullptr));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    send_value(0, one);
    send_value(0, two);
    cores::until([&] { return met.load(); });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(atomic_groups, have_names_and_are_gone_through) {
    cores machine(1);
    const em_atomic_group_t g = make_atomic_group("mine");
    const em_atomic_group_t other = make_atomic_group("other");
    EXPECT_EQ(em_atomic_group_find("mine"), g);
    EXPECT_EQ(em_atomic_group_find("none"), EM_ATOMIC_GROUP_UNDEF);
    std::array<char, 3> name{};
    EXPECT_EQ(em_atomic_group_get_name(other, name.data(), name.size()), 2U);
    EXPECT_STREQ(name.data(), "ot");
    const em_queue_t q = em_queue_create_ag("q", 4, g, nullptr);
    const auto chosen = EM_REINTERPRET_CAST(em_queue_t, 3);
    ASSERT_EQ(em_queue_create_static_ag("s", 4, g, chosen, nullptr), EM_OK);
    const em_queue_t alone = make_queue(EM_QUEUE_TYPE_ATOMIC);
    EXPECT_EQ(em_atomic_group_get(q), g);
    EXPECT_EQ(em_atomic_group_get(chosen), g);
    EXPECT_EQ(em_atomic_group_get(alone), EM_ATOMIC_GROUP_UNDEF);
    EXPECT_EQ(em_queue_get_type(q), static_cast<em_queue_type_t>(EM_QUEUE_TYPE_ATOMIC));
    unsigned count = 0;
    EXPECT_EQ(gone_through(em_atomic_group_queue_get_first(&count, g), em_atomic_group_queue_get_next),
              (std::vector<em_queue_t>{q, chosen}));
    EXPECT_EQ(count, 2U);
    const std::vector<em_atomic_group_t> groups =
        gone_through(em_atomic_group_get_first(&count), em_atomic_group_get_next);
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(groups, (std::vector<em_atomic_group_t>{g, other}));
    EXPECT_TRUE(take_errors().empty());
    EXPECT_EQ(em_atomic_group_delete(g), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_atomic_group_delete: the atomic group has queues");
    ASSERT_EQ(em_queue_delete(q), EM_OK);
    ASSERT_EQ(em_queue_delete(chosen), EM_OK);
    ASSERT_EQ(em_atomic_group_delete(g), EM_OK);
    EXPECT_EQ(em_atomic_group_find("mine"), EM_ATOMIC_GROUP_UNDEF);
}

TEST(atomic_groups, refuse_what_is_wrong) {
    cores machine(1);
    EXPECT_EQ(em_atomic_group_create("g", EM_QUEUE_GROUP_UNDEF), EM_ATOMIC_GROUP_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_atomic_group_create: there is no queue group");
    EXPECT_EQ(em_atomic_group_delete(EM_ATOMIC_GROUP_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_atomic_group_delete: there is no atomic group");
    EXPECT_EQ(em_queue_create_ag("q", 4, EM_ATOMIC_GROUP_UNDEF, nullptr), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_queue_create_ag: there is no atomic group");
    const em_atomic_group_t g = make_atomic_group();
    EXPECT_EQ(em_queue_create_ag("q", 8, g, nullptr), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_create_ag: priority 8 is not from 0 to 7");
    EXPECT_EQ(em_queue_create_static_ag("q", 4, g, EM_QUEUE_UNDEF, nullptr), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_queue_create_static_ag: handle");
    EXPECT_EQ(em_atomic_group_get(EM_QUEUE_UNDEF), EM_ATOMIC_GROUP_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_atomic_group_get: there is no queue");
    std::array<char, 4> name{};
    EXPECT_EQ(em_atomic_group_get_name(EM_ATOMIC_GROUP_UNDEF, name.data(), name.size()), 0U);
    expect_error(EM_ERR_BAD_ID, "em_atomic_group_get_name: there is no atomic group");
    unsigned count = 9;
    EXPECT_EQ(em_atomic_group_queue_get_first(&count, EM_ATOMIC_GROUP_UNDEF), EM_QUEUE_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_atomic_group_queue_get_first: there is no atomic group");
    EXPECT_EQ(em_atomic_group_queue_get_next(), EM_QUEUE_UNDEF);
    int more = 0;
    while (make_atomic_group() != EM_ATOMIC_GROUP_UNDEF) {
        ++more;
    }
    EXPECT_EQ(more, EM_MAX_ATOMIC_GROUPS - 1);
    expect_error(EM_ERR_ALLOC_FAILED, "em_atomic_group_create: there are 128 atomic groups already");
}

} // namespace
} // namespace skerry::test
