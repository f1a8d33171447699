// SPDX-License-Identifier: Apache-2.0

// Parallel queues whose receive functions send in order.

#include <array>
#include <atomic>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "receiving.hpp"

namespace skerry::test {
namespace {

class ordered_on : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(ordered, ordered_on, testing::Values(1, 2, 4));

void dawdle(int seed) {
    std::minstd_rand random(static_cast<unsigned>(seed) + 1);
    for (auto i = random() % 20; i != 0; --i) {
        std::this_thread::yield();
    }
}

// A function that collects, for an output queue.
int collect(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* to) {
    for (unsigned i = 0; i < num; ++i) {
        static_cast<log*>(to)->add(free_value(events[i]));
    }
    return static_cast<int>(num);
}

// Event i sends i % 4 events, so that every fourth has none to send and blocks nobody.
TEST_P(ordered_on, targets_see_the_order_of_the_input_and_sends_of_one_event_together) {
    constexpr int inputs = 2000;
    cores machine(GetParam(), 20'000);
    log atomic_seen;
    receive_by note = [&](em_event_t e, em_queue_t) { atomic_seen.add(free_value(e)); };
    const receiver atomic = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    const em_queue_t unscheduled = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    log output_seen;
    const em_queue_t out = make_output(collect, &output_seen);
    std::atomic<int> received{0};
    receive_by pass = [&](em_event_t e, em_queue_t) {
        const int i = free_value(e);
        dawdle(i);
        for (int k = 0; k < i % 4; ++k) {
            send_value(4 * i + k, atomic.queue);
            send_value(4 * i + k, unscheduled);
            send_value(4 * i + k, out);
        }
        ++received;
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    std::vector<int> expected;
    for (int i = 0; i < inputs; ++i) {
        for (int k = 0; k < i % 4; ++k) {
            expected.push_back(4 * i + k);
        }
    }
    cores::until([&] { return received == inputs && atomic_seen.size() == expected.size(); });
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    cores::until([&] { return output_seen.size() >= expected.size(); }); // for which no stop waits
    EXPECT_EQ(atomic_seen.all(), expected);
    EXPECT_EQ(output_seen.all(), expected);
    std::vector<int> taken;
    while (const em_event_t e = em_queue_dequeue(unscheduled)) {
        taken.push_back(free_value(e));
    }
    EXPECT_EQ(taken, expected);
}

TEST(ordered, a_late_head_stalls_what_is_behind_it_and_no_core) {
    constexpr int others = 200;
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    std::atomic<int> received{0};
    const em_queue_t target = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        const int i = value_of(e);
        if (i == 0) {
            inside = true;
            wait_for(go);
        }
        EXPECT_EQ(em_send(e, target), EM_OK);
        ++received;
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(0, in.queue);
    cores::until([&] { return inside.load(); });
    for (int i = 1; i <= others; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return received == others; }); // all of them on the other core
    EXPECT_EQ(em_queue_dequeue(target), EM_EVENT_UNDEF);
    go = true;
    cores::until([&] { return received == others + 1; });
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    for (int i = 0; i <= others; ++i) {
        EXPECT_EQ(free_value(em_queue_dequeue(target)), i);
    }
}

TEST(ordered, what_is_sent_behind_the_end_of_the_context_is_free) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    std::atomic<bool> second{false};
    std::atomic<int> wrong{0};
    const em_queue_t target = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    receive_by pass = [&](em_event_t e, em_queue_t q) {
        em_queue_t of = EM_QUEUE_UNDEF;
        wrong += em_sched_context_type_current(&of) != EM_SCHED_CONTEXT_TYPE_ORDERED || of != q ? 1 : 0;
        if (free_value(e) == 0) {
            inside = true;
            wait_for(go);
            send_value(0, target);
        } else {
            send_value(1, target);
            em_ordered_processing_end();
            em_ordered_processing_end(); // has nothing to end any more
            wrong += em_sched_context_type_current(nullptr) != EM_SCHED_CONTEXT_TYPE_NONE ? 1 : 0;
            send_value(2, target);
            second = true;
        }
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(0, in.queue);
    cores::until([&] { return inside.load(); });
    send_value(1, in.queue);
    cores::until([&] { return second.load(); });
    EXPECT_EQ(free_value(em_queue_dequeue(target)), 2);
    EXPECT_EQ(em_queue_dequeue(target), EM_EVENT_UNDEF);
    go = true;
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    EXPECT_EQ(free_value(em_queue_dequeue(target)), 0);
    EXPECT_EQ(free_value(em_queue_dequeue(target)), 1);
    EXPECT_EQ(wrong, 0);
}

TEST(ordered, ending_a_context_elsewhere_does_nothing) {
    cores machine(1);
    em_ordered_processing_end();
    em_atomic_processing_end();
    em_preschedule();
    std::atomic<bool> done{false};
    receive_by end = [&](em_event_t e, em_queue_t) {
        em_free(e);
        em_ordered_processing_end();
        em_preschedule();
        EXPECT_EQ(em_sched_context_type_current(nullptr), EM_SCHED_CONTEXT_TYPE_ATOMIC);
        done = true;
    };
    const receiver r = make_receiver(end, EM_QUEUE_TYPE_ATOMIC);
    send_value(0, r.queue);
    cores::until([&] { return done.load(); });
    EXPECT_TRUE(take_errors().empty());
}

// What a place behind the first one sends counts against the bound of its target at once.
TEST(ordered, a_full_target_refuses_the_sender_and_drops_nothing) {
    cores machine(2);
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    std::atomic<int> refused{0};
    std::atomic<int> received{0};
    const em_queue_t target = make_queue(EM_QUEUE_TYPE_UNSCHEDULED, EM_QUEUE_GROUP_UNDEF, 0, 4);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        if (value_of(e) == 0) {
            inside = true;
            wait_for(go);
            em_free(e);
        } else if (em_send(e, target) != EM_OK) {
            ++refused;
            em_free(e);
        }
        ++received;
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(0, in.queue);
    cores::until([&] { return inside.load(); });
    for (int i = 1; i <= 10; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return received == 10; });
    EXPECT_EQ(refused, 6);
    EXPECT_EQ(take_errors().size(), 6U);
    go = true;
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    for (int i = 1; i <= 4; ++i) {
        EXPECT_EQ(free_value(em_queue_dequeue(target)), i);
    }
    EXPECT_EQ(em_queue_dequeue(target), EM_EVENT_UNDEF);
}

TEST_P(ordered_on, what_tasks_of_a_receive_function_send_keeps_its_place) {
    constexpr int inputs = 300;
    cores machine(GetParam(), 4096);
    const em_queue_t target = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        const int i = free_value(e);
        skerry::parallel_invoke([&] { dawdle(i); },
                                [&] { // on whichever thread
                                    dawdle(i);
                                    send_value(2 * i, target);
                                });
        send_value(2 * i + 1, target);
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    int next = 0;
    cores::until([&] {
        while (const em_event_t e = em_queue_dequeue(target)) {
            EXPECT_EQ(free_value(e), next);
            ++next;
        }
        return next == 2 * inputs;
    });
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
}

TEST(ordered, what_waits_for_a_target_that_stops_is_freed) {
    cores machine(2, 8);
    std::atomic<bool> go{false};
    std::atomic<bool> inside{false};
    std::atomic<int> received{0};
    std::atomic<int> arrived{0};
    receive_by count = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++arrived;
    };
    const receiver target = make_receiver(count, EM_QUEUE_TYPE_ATOMIC);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        if (value_of(e) == 0) {
            inside = true;
            wait_for(go);
            em_free(e);
        } else {
            EXPECT_EQ(em_send(e, target.queue), EM_OK);
        }
        ++received;
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    send_value(0, in.queue);
    cores::until([&] { return inside.load(); });
    for (int i = 1; i <= 5; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return received == 5; });
    ASSERT_EQ(em_eo_stop_sync(target.eo), EM_OK);
    ASSERT_EQ(em_eo_remove_queue_sync(target.eo, target.queue), EM_OK);
    ASSERT_EQ(em_queue_delete(target.queue), EM_OK);
    go = true;
    ASSERT_EQ(em_eo_stop_sync(in.eo), EM_OK);
    EXPECT_EQ(arrived, 0);
    EXPECT_EQ(free_events(8), 8U);
}

// An output function that takes one at a time, and nothing every third time.
struct reluctant {
    log seen;
    std::atomic<int> calls{0};
};
int take_reluctantly(const em_event_t events[], const unsigned /*num*/, const em_queue_t /*queue*/, void* to) {
    auto& r = *static_cast<reluctant*>(to);
    if (++r.calls % 3 == 0) {
        return 0;
    }
    r.seen.add(free_value(events[0]));
    return 1;
}

TEST_P(ordered_on, what_an_output_function_does_not_take_is_offered_again) {
    constexpr int inputs = 200;
    cores machine(GetParam());
    reluctant to;
    const em_queue_t out = make_output(take_reluctantly, &to);
    receive_by pass = [&](em_event_t e, em_queue_t) {
        dawdle(value_of(e));
        EXPECT_EQ(em_send(e, out), EM_OK);
    };
    const receiver in = make_receiver(pass, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < inputs; ++i) {
        send_value(i, in.queue);
    }
    cores::until([&] { return to.seen.size() == inputs; });
    const std::vector<int> all = to.seen.all();
    for (int i = 0; i < inputs; ++i) {
        EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
    }
}

} // namespace
} // namespace skerry::test
