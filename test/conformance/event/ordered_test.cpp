// SPDX-License-Identifier: Apache-2.0

// Rules 6 to 10: ordered queues.

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "ways.hpp"

namespace skerry::test {
namespace {

// Through two ordered queues.
TEST_P(event_rules, r06_targets_see_the_order_of_the_input) {
    constexpr int inputs = 100;
    log seen;
    std::array<em_queue_t, 3> chain{};
    receive_by pass_on = [&](em_event_t e, em_queue_t q) {
        em_preschedule();
        dawdle(value_of(e));
        EXPECT_EQ(em_send(e, q == chain[0] ? chain[1] : chain[2]), EM_OK);
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    cores machine(core_count());
    chain[0] = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED).queue;
    chain[1] = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED).queue;
    chain[2] = make_receiver(note, EM_QUEUE_TYPE_ATOMIC).queue;
    for (int i = 0; i < inputs; ++i) {
        send_value(i, chain[0]);
    }
    cores::until([&] { return seen.size() == inputs; });
    EXPECT_EQ(seen.all(), numbers_to(inputs));
}

TEST_P(event_rules, r07_what_one_ordered_context_sends_stays_together) {
    constexpr int inputs = 40;
    log seen;
    em_queue_t target = EM_QUEUE_UNDEF;
    receive_by fan_out = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        em_preschedule();
        send_value(4 * value, target);
        dawdle(value);
        const std::array<em_event_t, 2> two = {make_event(4 * value + 1), make_event(4 * value + 2)};
        EXPECT_EQ(em_send_multi(two.data(), 2, target), 2);
        dawdle(value + 1);
        send_value(4 * value + 3, target);
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    cores machine(core_count());
    target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC).queue;
    const receiver in = make_receiver(fan_out, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return seen.size() == 4 * inputs; });
    EXPECT_EQ(seen.all(), numbers_to(4 * inputs));
}

TEST_P(event_rules, r08_an_ordered_event_that_is_freed_keeps_nobody_back) {
    constexpr int inputs = 60;
    log seen;
    em_queue_t target = EM_QUEUE_UNDEF;
    receive_by every_third = [&](em_event_t e, em_queue_t) {
        em_preschedule();
        const int value = value_of(e);
        dawdle(value);
        if (value % 3 == 2) {
            EXPECT_EQ(em_send(e, target), EM_OK);
        } else {
            em_free(e);
        }
    };
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e) / 3); };
    cores machine(core_count());
    target = make_receiver(note, EM_QUEUE_TYPE_ATOMIC).queue;
    const receiver in = make_receiver(every_third, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return seen.size() == inputs / 3; });
    EXPECT_EQ(seen.all(), numbers_to(inputs / 3));
}

// The first event is received until the second has sent what is free.
TEST_P(event_rules_of_several_cores, r09_behind_ordered_processing_end_sends_are_free_and_earlier_ones_ordered) {
    std::atomic<bool> first{false};
    std::atomic<bool> second{false};
    std::vector<int> early;
    em_queue_t target = EM_QUEUE_UNDEF;
    receive_by f = [&](em_event_t e, em_queue_t) {
        if (free_value(e) == 0) {
            first = true;
            wait_for(second);
            early = take_all(target);
            send_value(0, target);
        } else {
            send_value(1, target);
            em_ordered_processing_end();
            send_value(2, target);
            second = true;
        }
    };
    cores machine(core_count());
    target = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    const receiver in = make_receiver(f, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(0, in.queue);
    cores::until([&] { return first.load(); });
    send_value(1, in.queue);
    cores::until([&] { return second.load(); });
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    EXPECT_EQ(early, std::vector<int>{2});
    EXPECT_EQ(take_all(target), (std::vector<int>{0, 1}));
}

// An output function that takes two at most.
int collect(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* to) {
    const unsigned taken = std::min(num, 2U);
    for (unsigned i = 0; i < taken; ++i) {
        static_cast<log*>(to)->add(free_value(events[i]));
    }
    return static_cast<int>(taken);
}

TEST_P(event_rules, r10_order_holds_into_output_queues_and_unscheduled_ones) {
    constexpr int inputs = 60;
    log seen;
    std::atomic<int> received{0};
    em_queue_t out = EM_QUEUE_UNDEF;
    em_queue_t unscheduled = EM_QUEUE_UNDEF;
    receive_by pass = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        em_preschedule();
        dawdle(value);
        send_value(value, out);
        send_value(value, unscheduled);
        ++received;
    };
    cores machine(core_count());
    out = make_output(collect, &seen);
    unscheduled = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return received == inputs && seen.size() == inputs; });
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    EXPECT_EQ(seen.all(), numbers_to(inputs));
    EXPECT_EQ(take_all(unscheduled), numbers_to(inputs));
}

} // namespace
} // namespace skerry::test
