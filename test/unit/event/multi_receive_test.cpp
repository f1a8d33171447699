// SPDX-License-Identifier: Apache-2.0

// Execution objects that receive several events at once.

#include <algorithm>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

struct many {
    std::atomic<int> received{0};
    std::atomic<int> most{0};
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<bool> go{false};
    log seen;
};

void receive_many(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    auto& m = *static_cast<many*>(context);
    m.overlaps += ++m.inside != 1 ? 1 : 0;
    wait_for(m.go);
    m.most = std::max(m.most.load(), num);
    for (int i = 0; i < num; ++i) {
        m.seen.add(free_value(events[i]));
    }
    --m.inside;
    m.received += num;
}

em_eo_t make_many(void* context, em_receive_multi_func_t receive, int max_events) {
    em_eo_multircv_param_t p;
    em_eo_multircv_param_init(&p);
    EXPECT_EQ(p.max_events, EM_EO_MULTIRCV_MAX_EVENTS);
    p.start = start_nothing;
    p.stop = stop_nothing;
    p.receive_multi = receive;
    p.max_events = max_events;
    p.eo_ctx = context;
    return em_eo_create_multircv("many", &p);
}

TEST(multi_receive, gets_at_most_so_many_in_order) {
    cores machine(2);
    many m;
    const em_eo_t eo = make_many(&m, receive_many, 7);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
        send_value(i, q);
        expected.push_back(i);
    }
    m.go = true;
    cores::until([&] { return m.received == 100; });
    EXPECT_EQ(m.most, 7);
    EXPECT_EQ(m.overlaps, 0);
    EXPECT_EQ(m.seen.all(), expected);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

struct meeting {
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
    std::atomic<int> received{0};
};
void meet_inside(void* context, em_event_t events[], int num, em_queue_t /*queue*/, void* /*ctx*/) {
    auto& m = *static_cast<meeting*>(context);
    em_atomic_processing_end(); // with events of the burst left
    if (++m.inside == 2) {
        m.met = true;
    }
    wait_for(m.met);
    for (int i = 0; i < num; ++i) {
        em_free(events[i]);
    }
    m.received += num;
}

TEST(multi_receive, lets_an_atomic_queue_go_inside_of_a_burst) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<int> held{0};
    receive_by hold = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++held;
        wait_for(go);
    };
    const receiver block = make_receiver(hold, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, block.queue);
    send_value(0, block.queue);
    cores::until([&] { return held == 2; });
    meeting m;
    const em_eo_t eo = make_many(&m, meet_inside, 3);
    const em_queue_t q = add_queue(eo, make_queue(EM_QUEUE_TYPE_ATOMIC));
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    for (int i = 0; i < 6; ++i) {
        send_value(i, q);
    }
    go = true;
    ASSERT_EQ(em_eo_stop_sync(block.eo), EM_OK);
    cores::until([&] { return m.received == 6; });
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
}

TEST(multi_receive, refuses_what_is_wrong) {
    cores machine(1);
    em_eo_multircv_param_init(nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_multircv_param_init: a null pointer");
    EXPECT_EQ(em_eo_create_multircv("m", nullptr), EM_EO_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED,
                 "em_eo_create_multircv: em_eo_multircv_param_init() was not called for the parameters");
    EXPECT_EQ(make_many(nullptr, nullptr, 0), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_POINTER, "em_eo_create_multircv: there is no receive function");
    EXPECT_EQ(make_many(nullptr, receive_many, -1), EM_EO_UNDEF);
    expect_error(EM_ERR_BAD_ARG, "em_eo_create_multircv: max_events is -1");
    EXPECT_NE(make_many(nullptr, receive_many, 0), EM_EO_UNDEF);
}

} // namespace
} // namespace skerry::test
