// SPDX-License-Identifier: Apache-2.0

// What events are made of, and how they go from one to another.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/event.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

constexpr auto of_packet = static_cast<em_event_type_t>(EM_EVENT_TYPE_PACKET);

// --- allocation ------------------------------------------------------------------------------------------------------

TEST(events_alone, several_are_allocated_and_freed_together) {
    const bare_machine machine(1, 10);
    std::array<em_event_t, 12> all{};
    ASSERT_EQ(em_alloc_multi(all.data(), 10, 7, sw, EM_POOL_DEFAULT), 10);
    for (int i = 0; i < 10; ++i) {
        const em_event_t e = all[static_cast<std::size_t>(i)];
        EXPECT_EQ(em_event_get_size(e), 7U);
        std::memset(em_event_pointer(e), i, 7);
    }
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(*static_cast<const char*>(em_event_pointer(all[static_cast<std::size_t>(i)])), i);
    }
    em_free_multi(all.data(), 4);
    ASSERT_EQ(em_alloc_multi(all.data(), 0, 7, sw, EM_POOL_DEFAULT), 0);
    EXPECT_EQ(em_alloc_multi(all.data(), 6, 7, sw, EM_POOL_DEFAULT), 4) << "the other six are the caller's";
    expect_error(EM_ERR_ALLOC_FAILED, "em_alloc_multi: 4 events of 7 bytes were free in pool 'default', not 6");
    em_free_multi(all.data(), 10);
    EXPECT_EQ(em_alloc_multi(nullptr, 1, 7, sw, EM_POOL_DEFAULT), 0);
    expect_error(EM_ERR_BAD_ARG, "em_alloc_multi: 1 events without a table");
    EXPECT_EQ(em_alloc_multi(all.data(), -1, 7, sw, EM_POOL_DEFAULT), 0);
    expect_error(EM_ERR_BAD_ARG, "em_alloc_multi: -1 events without a table");
    EXPECT_EQ(em_alloc_multi(all.data(), 1, 257, sw, EM_POOL_DEFAULT), 0);
    expect_error(EM_ERR_TOO_LARGE, "em_alloc_multi: the largest events of pool 'default' have 256 bytes, not 257");
    em_free_multi(nullptr, 3);
    expect_error(EM_ERR_BAD_ARG, "em_free_multi: 3 events without a table");
    all = {make_event(), EM_EVENT_UNDEF, make_event()};
    em_free_multi(all.data(), 3);
    expect_error(EM_ERR_BAD_ARG, "em_free_multi: no event");
    ASSERT_EQ(em_pool_delete(EM_POOL_DEFAULT), EM_OK) << "the others were freed";
}

TEST(events_alone, an_event_may_carry_no_payload) {
    const bare_machine machine;
    const em_event_t e = em_alloc(0, sw, EM_POOL_DEFAULT);
    ASSERT_NE(e, EM_EVENT_UNDEF);
    EXPECT_EQ(em_event_get_size(e), 0U);
    std::uint32_t size = 1;
    EXPECT_NE(em_event_pointer_and_size(e, &size), nullptr);
    EXPECT_EQ(size, 0U);
    const em_event_t copy = em_event_clone(e, EM_POOL_UNDEF);
    EXPECT_EQ(em_event_get_size(copy), 0U);
    em_free(copy);
    em_free(e);
}

TEST(events_alone, types) {
    const bare_machine machine;
    const em_pool_t packets = make_pool(pool_config(64, 4, EM_EVENT_TYPE_PACKET), "packets");
    std::array<em_event_t, 4> all{em_alloc(1, sw | 5, packets), em_alloc(1, sw | 5, EM_POOL_DEFAULT),
                                  em_alloc(1, of_packet, packets), em_alloc(1, EM_EVENT_TYPE_TIMER, EM_POOL_DEFAULT)};
    std::array<em_event_type_t, 4> types{};
    EXPECT_EQ(em_event_get_type_multi(all.data(), 4, types.data()), 4);
    EXPECT_EQ(types, (std::array<em_event_type_t, 4>{sw | 5, sw | 5, of_packet, EM_EVENT_TYPE_TIMER}));
    em_event_type_t same = 0;
    EXPECT_EQ(em_event_same_type_multi(all.data(), 4, &same), 2);
    EXPECT_EQ(same, sw | 5);
    EXPECT_EQ(em_event_same_type_multi(all.data(), 0, &same), 0);
    EXPECT_EQ(em_event_set_type(all[0], of_packet | 3), EM_OK);
    EXPECT_EQ(em_event_get_type(all[0]), of_packet | 3);
    EXPECT_EQ(em_event_set_type(all[1], of_packet), status_of(EM_ERR_BAD_TYPE));
    expect_error(EM_ERR_BAD_TYPE, "em_event_set_type: pool 'default' has no events of type 0x2000000");
    EXPECT_EQ(em_event_get_type(all[1]), sw | 5) << "as it was";
    EXPECT_EQ(em_event_set_type(all[1], EM_EVENT_TYPE_TIMER_IND), status_of(EM_ERR_BAD_TYPE));
    expect_error(EM_ERR_BAD_TYPE, "em_event_set_type: pool 'default' has no events of type 0x6000000");
    EXPECT_EQ(em_event_set_type(EM_EVENT_UNDEF, sw), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_set_type: no event");
    const std::array<em_event_t, 2> half{all[0], EM_EVENT_UNDEF};
    EXPECT_EQ(em_event_get_type_multi(half.data(), 2, types.data()), 1);
    expect_error(EM_ERR_BAD_ARG, "em_event_get_type_multi: no event");
    EXPECT_EQ(em_event_same_type_multi(half.data(), 2, &same), 1);
    expect_error(EM_ERR_BAD_ARG, "em_event_same_type_multi: no event");
    EXPECT_EQ(em_event_get_type_multi(all.data(), 1, nullptr), 0);
    expect_error(EM_ERR_BAD_ARG, "em_event_get_type_multi: 1 events without a table");
    EXPECT_EQ(em_event_same_type_multi(nullptr, 1, &same), 0);
    expect_error(EM_ERR_BAD_ARG, "em_event_same_type_multi: 1 events without a table");
    EXPECT_EQ(em_alloc(1, EM_EVENT_TYPE_VECTOR, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_alloc: vectors of events are not there yet");
    EXPECT_EQ(em_alloc(1, EM_EVENT_TYPE_TIMER_IND, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_alloc: pool 'default' has no events of type 0x6000000");
    em_free_multi(all.data(), 4);
}

TEST(events_alone, pointers_and_pools) {
    const bare_machine machine;
    const em_event_t e = em_alloc(9, sw, EM_POOL_DEFAULT);
    std::uint32_t size = 0;
    EXPECT_EQ(em_event_pointer_and_size(e, &size), em_event_pointer(e));
    EXPECT_EQ(size, 9U);
    EXPECT_EQ(em_event_pointer_and_size(e, nullptr), em_event_pointer(e));
    EXPECT_EQ(em_event_get_pool(e), EM_POOL_DEFAULT);
    int subpool = 7;
    EXPECT_EQ(em_event_get_pool_subpool(e, nullptr), EM_POOL_DEFAULT);
    EXPECT_EQ(em_event_get_pool_subpool(e, &subpool), EM_POOL_DEFAULT);
    EXPECT_EQ(subpool, 0);
    EXPECT_NE(em_event_to_u64(e), 0U);
    EXPECT_EQ(em_event_to_u64(EM_EVENT_UNDEF), 0U);
    em_free(e);
    size = 5;
    EXPECT_EQ(em_event_pointer_and_size(EM_EVENT_UNDEF, &size), nullptr);
    EXPECT_EQ(size, 5U);
    expect_error(EM_ERR_BAD_ARG, "em_event_pointer_and_size: no event");
    EXPECT_EQ(em_event_get_pool(EM_EVENT_UNDEF), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_get_pool: no event");
    EXPECT_EQ(em_event_get_pool_subpool(EM_EVENT_UNDEF, &subpool), EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_get_pool_subpool: no event");
}

// --- sending ---------------------------------------------------------------------------------------------------------

struct seen_numbers {
    std::mutex lock;
    std::vector<int> numbers;
    std::atomic<std::size_t> count{0};
    std::atomic<bool> go{true};
    std::atomic<int> inside{0};
};

void note_number(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    seen_numbers& s = *static_cast<seen_numbers*>(context);
    const int n = free_value(event);
    ++s.inside;
    wait_for(s.go);
    const std::lock_guard lock(s.lock);
    s.numbers.push_back(n);
    ++s.count;
}

std::vector<em_event_t> make_numbers(int count) {
    std::vector<em_event_t> all(static_cast<std::size_t>(count));
    EXPECT_EQ(em_alloc_multi(all.data(), count, sizeof(int), sw, EM_POOL_DEFAULT), count);
    for (int i = 0; i < count; ++i) {
        *static_cast<int*>(em_event_pointer(all[static_cast<std::size_t>(i)])) = i;
    }
    return all;
}

TEST(events_sent, several_keep_the_order_of_the_table) {
    cores machine(2);
    seen_numbers s;
    const receiver r = make_receiver(note_number, &s, EM_QUEUE_TYPE_ATOMIC);
    const std::vector<em_event_t> all = make_numbers(500);
    ASSERT_EQ(em_send_multi(all.data(), 500, r.queue), 500);
    cores::until([&] { return s.count == 500; });
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(s.numbers[static_cast<std::size_t>(i)], i);
    }
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_TRUE(take_errors().empty());
}

TEST(events_sent, the_unsent_tail_stays_the_senders) {
    cores machine(1, 20);
    seen_numbers s;
    s.go = false;
    const auto [eo, queue] = make_receiver(note_number, &s, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, 4);
    std::vector<em_event_t> all = make_numbers(10);
    ASSERT_EQ(em_send(all[0], queue), EM_OK);
    cores::until([&] { return s.inside == 1; }); // the core holds the queue until it may go
    ASSERT_EQ(em_send_multi(&all[1], 9, queue), 4);
    expect_error(EM_ERR_OPERATION_FAILED, "em_send_multi: queue 0x100 holds as many events as it may");
    s.go = true;
    cores::until([&] { return s.count == 5; });
    EXPECT_EQ(s.numbers, (std::vector<int>{0, 1, 2, 3, 4})) << "a full queue drops nothing";
    EXPECT_EQ(value_of(all[5]), 5) << "is still the sender's";
    EXPECT_EQ(em_send_multi(&all[5], 2, queue), 2);
    cores::until([&] { return s.count == 7; });
    em_free_multi(&all[7], 3);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    std::vector<em_event_t> again(20);
    EXPECT_EQ(em_alloc_multi(again.data(), 20, 1, sw, EM_POOL_DEFAULT), 20) << "none is lost";
    em_free_multi(again.data(), 20);
}

void check_next(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    seen_numbers& s = *static_cast<seen_numbers*>(context);
    s.inside += free_value(event) != static_cast<int>(s.count) ? 1 : 0;
    ++s.count;
}

TEST(events_sent, a_full_target_never_drops) {
    constexpr int count = 20'000;
    cores machine(2, 64);
    seen_numbers s; // inside: those that were lost, doubled or overtaken
    const auto [eo, queue] = make_receiver(check_next, &s, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, 4);
    for (int n = 0; n < count;) {
        std::array<em_event_t, 7> some{};
        int filled = 0;
        for (; filled < 7 && n < count; ++filled, ++n) {
            some[static_cast<std::size_t>(filled)] = skerry_em_alloc_wait(sizeof n, sw, EM_POOL_DEFAULT, UINT64_MAX);
            *static_cast<int*>(em_event_pointer(some[static_cast<std::size_t>(filled)])) = n;
        }
        for (int sent = 0; sent < filled;) {
            sent += em_send_multi(&some[static_cast<std::size_t>(sent)], filled - sent, queue);
            std::this_thread::yield();
        }
    }
    cores::until([&] { return s.count == count; });
    EXPECT_EQ(s.inside, 0);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    for (const error_seen& e : take_errors()) {
        ASSERT_EQ(e.error, status_of(EM_ERR_OPERATION_FAILED)) << e.text;
    }
}

TEST(events_sent, several_wrong) {
    const bare_machine machine;
    seen_numbers s;
    std::array<em_event_t, 2> all{make_event(), EM_EVENT_UNDEF};
    EXPECT_EQ(em_send_multi(all.data(), 1, EM_QUEUE_UNDEF), 0);
    expect_error(EM_ERR_BAD_ID, "em_send_multi: there is no queue");
    const em_queue_t alone =
        em_queue_create("q", EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
    EXPECT_EQ(em_send_multi(all.data(), 2, alone), 0);
    expect_error(EM_ERR_BAD_STATE, "em_send_multi: no execution object receives from queue 0x100 now");
    EXPECT_EQ(em_send_multi(nullptr, 2, alone), 0);
    expect_error(EM_ERR_BAD_ARG, "em_send_multi: 2 events without a table");
    EXPECT_EQ(em_send_multi(nullptr, 0, alone), 0);
    EXPECT_EQ(em_send_multi(&all[1], 1, alone), 0);
    expect_error(EM_ERR_BAD_ARG, "em_send_multi: no event");
    em_free(all[0]);
}

// --- copies, user areas ----------------------------------------------------------------------------------------------

TEST(events_alone, clones_have_payload_type_and_user_area) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(64, 4);
    c.user_area = {true, 16};
    const em_pool_t pool = make_pool(c, "areas");
    const em_event_t e = em_alloc(10, sw | 7, pool);
    std::memcpy(em_event_pointer(e), "0123456789", 10);
    std::memcpy(em_event_uarea_get(e, nullptr), "abcdefghijklmnop", 16);
    ASSERT_EQ(em_event_uarea_id_set(e, 77), EM_OK);
    const em_event_t same = em_event_clone(e, EM_POOL_UNDEF);
    ASSERT_NE(same, EM_EVENT_UNDEF);
    EXPECT_EQ(em_event_get_pool(same), pool);
    EXPECT_EQ(em_event_get_type(same), sw | 7);
    EXPECT_EQ(em_event_get_size(same), 10U);
    EXPECT_EQ(std::memcmp(em_event_pointer(same), "0123456789", 10), 0);
    EXPECT_EQ(std::memcmp(em_event_uarea_get(same, nullptr), "abcdefghijklmnop", 16), 0);
    em_event_uarea_info_t info;
    ASSERT_EQ(em_event_uarea_info(same, &info), EM_OK);
    EXPECT_TRUE(info.id.isset);
    EXPECT_EQ(info.id.value, 77U);

    EXPECT_EQ(em_event_clone(e, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_TOO_SMALL, "em_event_clone: user areas of pool 'default' have 0 bytes, not 16");
    const em_event_t part = em_event_clone_part(e, EM_POOL_DEFAULT, 3, 4, false);
    EXPECT_EQ(em_event_get_pool(part), EM_POOL_DEFAULT);
    EXPECT_EQ(em_event_get_size(part), 4U);
    EXPECT_EQ(std::memcmp(em_event_pointer(part), "3456", 4), 0);
    ASSERT_EQ(em_event_uarea_info(part, &info), EM_OK);
    EXPECT_FALSE(info.id.isset);
    const em_event_t with_area = em_event_clone_part(e, EM_POOL_UNDEF, 9, 1, true);
    EXPECT_EQ(std::memcmp(em_event_uarea_get(with_area, nullptr), "abcdefghijklmnop", 16), 0);

    for (const auto& [offset, bytes] : {std::pair{3U, 8U}, {10U, 1U}, {11U, 1U}, {0U, 0U}, {5U, UINT32_MAX}}) {
        EXPECT_EQ(em_event_clone_part(e, EM_POOL_UNDEF, offset, bytes, false), EM_EVENT_UNDEF);
        expect_error(EM_ERR_BAD_ARG, "em_event_clone_part: " + std::to_string(bytes) + " bytes from byte " +
                                         std::to_string(offset) + ", of an event of 10");
    }
    EXPECT_EQ(em_event_clone(EM_EVENT_UNDEF, pool), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_clone: no event");
    EXPECT_EQ(em_event_clone_part(EM_EVENT_UNDEF, pool, 0, 1, false), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_clone_part: no event");
    EXPECT_EQ(em_event_clone(e, EM_REINTERPRET_CAST(em_pool_t, 16)), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_event_clone: there is no pool 0x10");
    const em_event_t fourth = em_event_clone(e, EM_POOL_UNDEF);
    EXPECT_EQ(em_event_clone(e, EM_POOL_UNDEF), EM_EVENT_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_event_clone: no event of 10 bytes is free in pool 'areas'");
    for (const em_event_t x : {e, same, part, with_area, fourth}) {
        em_free(x);
    }
}

TEST(events_alone, clones_of_packets_begin_behind_the_headroom) {
    const bare_machine machine;
    const em_pool_t pool = make_pool(pool_config(64, 2, EM_EVENT_TYPE_PACKET), "packets");
    const em_event_t e = em_alloc(4, of_packet, pool);
    std::memcpy(em_packet_push_head(e, 2), "abcdef", 6);
    const em_event_t copy = em_event_clone(e, EM_POOL_UNDEF);
    EXPECT_EQ(em_event_get_size(copy), 6U);
    EXPECT_EQ(std::memcmp(em_event_pointer(copy), "abcdef", 6), 0);
    EXPECT_EQ(em_packet_headroom(copy), 128U);
    EXPECT_EQ(em_event_clone(e, EM_POOL_DEFAULT), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_event_clone: pool 'default' has no events of type 0x2000000");
    em_free(copy);
    em_free(e);
}

TEST(events_alone, user_areas_stay_and_their_numbers_go) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(64, 1);
    c.user_area = {true, 3};
    const em_pool_t pool = make_pool(c, "areas");
    em_event_t e = em_alloc(1, sw, pool);
    bool set = true;
    std::uint16_t number = 5;
    ASSERT_EQ(em_event_uarea_id_get(e, &set, &number), EM_OK);
    EXPECT_FALSE(set);
    EXPECT_EQ(number, 5U) << "not written";
    std::memcpy(em_event_uarea_get(e, nullptr), "xyz", 3);
    ASSERT_EQ(em_event_uarea_id_set(e, 0), EM_OK);
    ASSERT_EQ(em_event_uarea_id_get(e, &set, nullptr), EM_OK);
    EXPECT_TRUE(set);
    ASSERT_EQ(em_event_uarea_id_get(e, nullptr, &number), EM_OK);
    EXPECT_EQ(number, 0U);
    em_free(e);
    e = em_alloc(1, sw, pool);
    em_event_uarea_info_t info;
    ASSERT_EQ(em_event_uarea_info(e, &info), EM_OK);
    EXPECT_EQ(info.size, 3U);
    EXPECT_EQ(std::memcmp(info.uarea, "xyz", 3), 0) << "neither to free nor to allocate touches it";
    EXPECT_FALSE(info.id.isset);
    em_free(e);

    e = make_event(); // of a pool without
    std::size_t size = 9;
    EXPECT_EQ(em_event_uarea_get(e, &size), nullptr);
    EXPECT_EQ(size, 0U);
    ASSERT_EQ(em_event_uarea_id_set(e, 3), EM_OK) << "a number needs no area";
    ASSERT_EQ(em_event_uarea_info(e, &info), EM_OK);
    EXPECT_EQ(info.uarea, nullptr);
    EXPECT_EQ(info.id.value, 3U);
    EXPECT_EQ(em_event_uarea_id_get(e, nullptr, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_event_uarea_id_get: two null pointers");
    EXPECT_EQ(em_event_uarea_info(e, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_event_uarea_info: a null pointer");
    em_free(e);
    EXPECT_EQ(em_event_uarea_get(EM_EVENT_UNDEF, &size), nullptr);
    expect_error(EM_ERR_BAD_ARG, "em_event_uarea_get: no event");
    EXPECT_EQ(em_event_uarea_id_get(EM_EVENT_UNDEF, &set, &number), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_uarea_id_get: no event");
    EXPECT_EQ(em_event_uarea_id_set(EM_EVENT_UNDEF, 1), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_uarea_id_set: no event");
    EXPECT_EQ(em_event_uarea_info(EM_EVENT_UNDEF, &info), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_event_uarea_info: no event");
    EXPECT_EQ(info.id.value, 0U);
}

// --- not there yet ---------------------------------------------------------------------------------------------------

TEST(events_alone, references_and_vectors_are_not_there_yet) {
    const bare_machine machine;
    const em_event_t e = make_event();
    EXPECT_EQ(em_event_ref(e), EM_EVENT_UNDEF);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_ref: references to events are not there yet");
    EXPECT_FALSE(em_event_has_ref(e)) << "which is true, and no error";
    EXPECT_EQ(em_event_ref(EM_EVENT_UNDEF), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_event_ref: no event");
    EXPECT_FALSE(em_event_has_ref(EM_EVENT_UNDEF));
    expect_error(EM_ERR_BAD_ARG, "em_event_has_ref: no event");
    em_event_vector_free(e);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_free: vectors of events are not there yet");
    em_event_t* table = nullptr;
    EXPECT_EQ(em_event_vector_tbl(e, &table), 0U);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_tbl: vectors of events are not there yet");
    EXPECT_EQ(em_event_vector_size(e), 0U);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_size: vectors of events are not there yet");
    em_event_vector_size_set(e, 0);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_size_set: vectors of events are not there yet");
    EXPECT_EQ(em_event_vector_max_size(e), 0U);
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_max_size: vectors of events are not there yet");
    em_event_vector_info_t info{&table[0], 1, 1};
    EXPECT_EQ(em_event_vector_info(e, &info), status_of(EM_ERR_NOT_IMPLEMENTED));
    expect_error(EM_ERR_NOT_IMPLEMENTED, "em_event_vector_info: vectors of events are not there yet");
    EXPECT_EQ(info.max_size, 0U);
    em_free(e);
}

} // namespace
} // namespace skerry::test
