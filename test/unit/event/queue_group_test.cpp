// SPDX-License-Identifier: Apache-2.0

// Which cores receive.

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

em_queue_group_t make_group(std::uint64_t bits, const char* name = "group") {
    const em_core_mask_t mask = mask_of(bits);
    return em_queue_group_create_sync(name, &mask);
}

em_status_t modify(em_queue_group_t g, std::uint64_t bits) {
    const em_core_mask_t mask = mask_of(bits);
    return em_queue_group_modify_sync(g, &mask);
}

std::uint64_t bits_of(em_queue_group_t g) {
    em_core_mask_t mask{};
    EXPECT_EQ(em_queue_group_get_mask(g, &mask), EM_OK);
    return mask.bits;
}

std::uint64_t own_bit() { return std::uint64_t{1} << em_core_id(); }

TEST(queue_groups, events_go_to_cores_of_the_mask) {
    cores machine(3);
    constexpr int each = 200;
    std::atomic<int> wrong{0};
    std::atomic<int> received{0};
    std::array<receive_by, 3> functions;
    for (unsigned c = 0; c < 3; ++c) {
        functions[c] = [&, c](em_event_t e, em_queue_t) {
            em_free(e);
            wrong += em_core_id() != static_cast<int>(c) ? 1 : 0;
            ++received;
        };
        const receiver r = make_receiver(functions[c], EM_QUEUE_TYPE_PARALLEL, make_group(std::uint64_t{1} << c));
        for (int i = 0; i < each; ++i) {
            send_value(i, r.queue);
        }
    }
    cores::until([&] { return received == 3 * each; });
    EXPECT_EQ(wrong, 0);
}

// One at a time, so that all cores sleep when an event comes. A wrong one that wakes leaves the event lying.
TEST(queue_groups, a_core_that_sleeps_is_woken_for_what_it_may_receive) {
    cores machine(4);
    std::atomic<int> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    std::vector<receiver> to;
    for (unsigned c = 0; c < 4; ++c) {
        to.push_back(make_receiver(count, EM_QUEUE_TYPE_ATOMIC, make_group(std::uint64_t{1} << c)));
    }
    for (int i = 0; i < 400; ++i) {
        send_value(i, to[static_cast<unsigned>(i * 7) % 4].queue);
        cores::until([&] { return received == i + 1; });
    }
}

TEST(queue_groups, what_a_core_may_not_receive_keeps_nothing_from_it) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<int> core{-1};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        core = em_core_id();
        wait_for(go);
    };
    const receiver held = make_receiver(hold, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, held.queue);
    cores::until([&] { return core >= 0; });
    std::atomic<int> alone{0};
    receive_by never = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++alone;
    };
    const em_queue_group_t of_held = make_group(std::uint64_t{1} << core);
    const receiver blocked = make_receiver(never, EM_QUEUE_TYPE_ATOMIC, of_held, EM_QUEUE_PRIO_HIGHEST);
    send_value(0, blocked.queue); // the other core may not
    std::atomic<int> received{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const receiver free = make_receiver(count, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOWEST);
    for (int i = 0; i < 50; ++i) {
        send_value(i, free.queue);
        cores::until([&] { return received == i + 1; });
    }
    EXPECT_EQ(alone, 0);
    go = true;
    cores::until([&] { return alone == 1; });
}

TEST(queue_groups, no_event_runs_outside_of_the_mask_after_the_change) {
    cores machine(3, 4096);
    const em_queue_group_t g = make_group(7);
    std::atomic<std::uint64_t> allowed{7};
    std::atomic<int> wrong{0};
    std::atomic<int> received{0};
    receive_by check = [&](em_event_t e, em_queue_t) {
        em_free(e);
        for (int i = 0; i < 5; ++i) {
            wrong += (allowed & own_bit()) == 0 ? 1 : 0;
            std::this_thread::yield();
        }
        ++received;
    };
    const em_eo_t eo = make_object(check);
    std::vector<em_queue_t> queues;
    for (const em_queue_type_t type : {EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_TYPE_PARALLEL_ORDERED}) {
        queues.push_back(add_queue(eo, make_queue(type, g)));
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    int sent = 0;
    for (unsigned round = 0; round < 60; ++round) {
        for (int i = 0; i < 20; ++i, ++sent) {
            send_value(i, queues[static_cast<unsigned>(i) % queues.size()]);
        }
        const std::uint64_t next = round % 7 + 1;
        allowed = allowed | next;
        ASSERT_EQ(modify(g, next), EM_OK);
        allowed = next;
        EXPECT_EQ(bits_of(g), next);
    }
    cores::until([&] { return received == sent; });
    EXPECT_EQ(wrong, 0);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(queue_groups, an_empty_mask_holds_and_a_refill_delivers_once) {
    cores machine(2);
    const em_queue_group_t g = make_group(0);
    log seen;
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_ATOMIC, g);
    std::atomic<int> passed{0};
    receive_by pass = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++passed;
    };
    const receiver other = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL);
    std::vector<int> expected;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 5; ++i) {
            send_value(5 * round + i, r.queue);
            expected.push_back(5 * round + i);
        }
        for (int i = 0; i < 5; ++i) {
            send_value(0, other.queue);
        }
        cores::until([&] { return passed == 5 * (round + 1); }); // cores have looked
        EXPECT_EQ(seen.size(), 5U * static_cast<unsigned>(round));
        ASSERT_EQ(modify(g, 1U << (round % 2)), EM_OK);
        cores::until([&] { return seen.size() == expected.size(); });
        ASSERT_EQ(modify(g, 0), EM_OK);
    }
    EXPECT_EQ(seen.all(), expected);
}

TEST(queue_groups, a_change_is_over_when_the_last_core_beyond_the_mask_has_left) {
    cores machine(2);
    const em_queue_group_t g = make_group(3);
    std::atomic<bool> go{false};
    std::atomic<int> core{-1};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_atomic_processing_end(); // the event runs still
        core = em_core_id();
        wait_for(go);
    };
    const receiver r = make_receiver(hold, EM_QUEUE_TYPE_ATOMIC, g);
    log told;
    receive_by note = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver to = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    send_value(0, r.queue);
    cores::until([&] { return core >= 0; });
    const em_core_mask_t rest = mask_of(3 & ~(std::uint64_t{1} << core));
    const em_notif_t when{make_event(5), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_queue_group_modify(g, &rest, 1, &when), EM_OK);
    send_value(6, to.queue);
    cores::until([&] { return told.size() >= 1; });
    EXPECT_EQ(told.all(), std::vector<int>{6});
    EXPECT_EQ(bits_of(g), 3U); // not before it is over
    go = true;
    cores::until([&] { return told.size() == 2; });
    EXPECT_EQ(bits_of(g), rest.bits);
}

TEST(queue_groups, have_names_and_are_gone_through) {
    cores machine(2);
    std::array<char, 32> name{};
    EXPECT_EQ(em_queue_group_get_name(EM_QUEUE_GROUP_DEFAULT, name.data(), name.size()), 7U);
    EXPECT_STREQ(name.data(), "default");
    EXPECT_EQ(bits_of(EM_QUEUE_GROUP_DEFAULT), 3U);
    EXPECT_EQ(em_queue_group_find("default"), EM_QUEUE_GROUP_DEFAULT);
    log told;
    receive_by note = [&](em_event_t e, em_queue_t) { told.add(free_value(e)); };
    const receiver to = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_core_mask_t mask = mask_of(2);
    const em_notif_t created{make_event(1), to.queue, EM_EVENT_GROUP_UNDEF};
    const em_queue_group_t g = em_queue_group_create("mine", &mask, 1, &created);
    ASSERT_NE(g, EM_QUEUE_GROUP_UNDEF);
    EXPECT_EQ(em_queue_group_find("mine"), g);
    EXPECT_EQ(bits_of(g), 2U);
    const std::vector<em_queue_t> made = {make_queue(EM_QUEUE_TYPE_ATOMIC, g), make_queue(EM_QUEUE_TYPE_PARALLEL, g)};
    unsigned count = 0;
    EXPECT_EQ(gone_through(em_queue_group_queue_get_first(&count, g), em_queue_group_queue_get_next), made);
    EXPECT_EQ(count, 2U);
    for (const em_queue_t q : made) {
        EXPECT_EQ(em_queue_get_group(q), g);
    }
    const std::vector<em_queue_group_t> groups =
        gone_through(em_queue_group_get_first(&count), em_queue_group_get_next);
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(groups, (std::vector<em_queue_group_t>{g, EM_QUEUE_GROUP_DEFAULT}));
    EXPECT_EQ(em_queue_group_delete_sync(g), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE,
                 "em_queue_group_delete_sync: the queue group is the default one, or has queues or atomic groups");
    for (const em_queue_t q : made) {
        ASSERT_EQ(em_queue_delete(q), EM_OK);
    }
    const em_notif_t deleted{make_event(2), to.queue, EM_EVENT_GROUP_UNDEF};
    ASSERT_EQ(em_queue_group_delete(g, 1, &deleted), EM_OK);
    cores::until([&] { return told.size() == 2; });
    EXPECT_EQ(told.all(), (std::vector<int>{1, 2}));
    EXPECT_EQ(em_queue_group_find("mine"), EM_QUEUE_GROUP_UNDEF);
}

TEST(queue_groups, refuse_what_is_wrong) {
    cores machine(2);
    EXPECT_EQ(em_queue_group_create_sync("g", nullptr), EM_QUEUE_GROUP_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_queue_group_create_sync: a null pointer");
    const em_core_mask_t beyond = mask_of(4);
    EXPECT_EQ(em_queue_group_create("g", &beyond, 0, nullptr), EM_QUEUE_GROUP_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_queue_group_create: the mask has cores beyond the 2 that there are");
    const em_queue_group_t g = make_group(1);
    EXPECT_EQ(em_queue_group_modify_sync(g, &beyond), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_queue_group_modify_sync: the mask has cores beyond the 2 that there are");
    const em_core_mask_t one = mask_of(1);
    EXPECT_EQ(em_queue_group_modify(g, &one, -1, nullptr), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_queue_group_modify: -1 notifications without a table");
    EXPECT_EQ(em_queue_group_delete(EM_QUEUE_GROUP_DEFAULT, 0, nullptr), status_of(EM_ERR_BAD_STATE));
    expect_error(EM_ERR_BAD_STATE, "em_queue_group_delete: the queue group is the default one");
    EXPECT_EQ(em_queue_group_delete_sync(EM_QUEUE_GROUP_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_queue_group_delete_sync: there is no queue group");
    em_core_mask_t mask{};
    EXPECT_EQ(em_queue_group_get_mask(EM_QUEUE_GROUP_UNDEF, &mask), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_queue_group_get_mask: there is no queue group");
    EXPECT_EQ(em_queue_group_get_mask(g, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_queue_group_get_mask: a null pointer");
    unsigned count = 9;
    EXPECT_EQ(em_queue_group_queue_get_first(&count, EM_QUEUE_GROUP_UNDEF), EM_QUEUE_UNDEF);
    EXPECT_EQ(count, 0U);
    expect_error(EM_ERR_BAD_ID, "em_queue_group_queue_get_first: there is no queue group");
    EXPECT_EQ(em_queue_group_queue_get_next(), EM_QUEUE_UNDEF);
    int more = 0;
    while (make_group(1) != EM_QUEUE_GROUP_UNDEF) {
        ++more;
    }
    EXPECT_EQ(more, EM_MAX_QUEUE_GROUPS - 2); // the default one, and g
    expect_error(EM_ERR_ALLOC_FAILED, "em_queue_group_create_sync: there are 128 queue groups already");
}

TEST(queue_groups, a_receive_function_does_not_wait_for_itself) {
    cores machine(2);
    const em_queue_group_t g = make_group(3);
    std::atomic<bool> done{false};
    receive_by change = [&](em_event_t e, em_queue_t) {
        em_free(e);
        EXPECT_EQ(modify(g, 0), status_of(EM_ERR_BAD_CONTEXT));
        const em_core_mask_t none = mask_of(0);
        EXPECT_EQ(em_queue_group_modify(g, &none, 0, nullptr), EM_OK);
        EXPECT_EQ(bits_of(g), 3U);
        done = true;
    };
    const receiver r = make_receiver(change, EM_QUEUE_TYPE_ATOMIC, g);
    send_value(0, r.queue);
    cores::until([&] { return done && bits_of(g) == 0; });
    expect_error(EM_ERR_BAD_CONTEXT, "em_queue_group_modify_sync: inside of a receive function");
}

} // namespace
} // namespace skerry::test
