// SPDX-License-Identifier: Apache-2.0

// Queues from which no core receives by choice.

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "receiving.hpp"

namespace skerry::test {
namespace {

// --- unscheduled ----------------------------------------------------------------------------------------------------

TEST(unscheduled, gives_events_back_in_their_order) {
    cores machine(1);
    const em_queue_t q = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    EXPECT_EQ(em_queue_dequeue(q), EM_EVENT_UNDEF);
    for (int i = 0; i < 5; ++i) {
        send_value(i, q);
    }
    EXPECT_EQ(free_value(em_queue_dequeue(q)), 0);
    std::array<em_event_t, 10> some{};
    ASSERT_EQ(em_queue_dequeue_multi(q, some.data(), 3), 3);
    EXPECT_EQ(free_value(some[0]), 1);
    EXPECT_EQ(free_value(some[1]), 2);
    EXPECT_EQ(free_value(some[2]), 3);
    ASSERT_EQ(em_queue_dequeue_multi(q, some.data(), 10), 1);
    EXPECT_EQ(free_value(some[0]), 4);
    EXPECT_EQ(em_queue_dequeue_multi(q, nullptr, 0), 0);
    EXPECT_TRUE(take_errors().empty());
}

TEST(unscheduled, holds_so_many_and_frees_what_is_left) {
    cores machine(1, 3);
    const em_queue_t q = make_queue(EM_QUEUE_TYPE_UNSCHEDULED, EM_QUEUE_GROUP_UNDEF, 0, 2);
    send_value(0, q);
    send_value(1, q);
    const em_event_t e = make_event();
    EXPECT_EQ(em_send(e, q), status_of(EM_ERR_OPERATION_FAILED));
    expect_error(EM_ERR_OPERATION_FAILED, "holds as many events as it may");
    em_free(e);
    ASSERT_EQ(em_queue_delete(q), EM_OK);
    EXPECT_EQ(free_events(3), 3U);
}

TEST(unscheduled, is_no_execution_objects) {
    cores machine(1);
    receive_by nothing = [](em_event_t e, em_queue_t) { em_free(e); };
    const receiver r = make_receiver(nothing, EM_QUEUE_TYPE_PARALLEL);
    const em_queue_t q = make_queue(EM_QUEUE_TYPE_UNSCHEDULED);
    EXPECT_EQ(em_eo_add_queue_sync(r.eo, q), status_of(EM_ERR_BAD_TYPE));
    expect_error(EM_ERR_BAD_TYPE, "em_eo_add_queue_sync: queue 0x101 is of type 4, from which nobody receives");
    EXPECT_EQ(em_queue_dequeue(r.queue), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "em_queue_dequeue: queue 0x100 is not unscheduled");
    EXPECT_EQ(em_queue_dequeue_multi(q, nullptr, 1), 0);
    expect_error(EM_ERR_BAD_ARG, "em_queue_dequeue_multi: no room for 1 events");
}

// --- local ----------------------------------------------------------------------------------------------------------

TEST(local, its_events_run_before_the_next_scheduled_one) {
    cores machine(1);
    log seen;
    receive_by later = [&](em_event_t e, em_queue_t) {
        const int value = free_value(e);
        seen.add(value);
        if (value % 10 == 1) { // also what is sent from there
            send_value(value + 2, em_queue_current());
        }
    };
    const receiver local = make_receiver(later, EM_QUEUE_TYPE_LOCAL);
    std::atomic<bool> go{false};
    receive_by first = [&](em_event_t e, em_queue_t) {
        wait_for(go);
        const int value = free_value(e);
        send_value(value + 1, local.queue);
        send_value(value + 2, local.queue);
        seen.add(value);
    };
    const receiver scheduled = make_receiver(first, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 3; ++i) {
        send_value(10 * i, scheduled.queue);
    }
    go = true;
    cores::until([&] { return seen.size() == 12; });
    EXPECT_EQ(seen.all(), (std::vector<int>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
}

TEST(local, is_received_in_the_context_of_who_has_sent) {
    cores machine(2);
    std::atomic<int> inside{0};
    std::atomic<int> overlaps{0};
    std::atomic<int> wrong{0};
    std::atomic<int> received{0};
    em_queue_t atomic = EM_QUEUE_UNDEF;
    const auto alone = [&] {
        overlaps += ++inside != 1 ? 1 : 0;
        for (int i = 0; i < 10; ++i) {
            std::this_thread::yield();
        }
        --inside;
    };
    const auto check = [&] {
        em_queue_t of = EM_QUEUE_UNDEF;
        wrong += em_sched_context_type_current(&of) != EM_SCHED_CONTEXT_TYPE_ATOMIC || of != atomic ? 1 : 0;
    };
    receive_by later = [&](em_event_t e, em_queue_t q) {
        em_free(e);
        check();
        wrong += em_queue_current() != q || q == atomic ? 1 : 0;
        alone();
        ++received;
    };
    const receiver local = make_receiver(later, EM_QUEUE_TYPE_LOCAL);
    receive_by first = [&](em_event_t e, em_queue_t) {
        check();
        EXPECT_EQ(em_send(e, local.queue), EM_OK);
        alone();
    };
    const receiver scheduled = make_receiver(first, EM_QUEUE_TYPE_ATOMIC);
    atomic = scheduled.queue;
    for (int i = 0; i < 100; ++i) {
        send_value(i, atomic);
    }
    cores::until([&] { return received == 100; });
    EXPECT_EQ(overlaps, 0);
    EXPECT_EQ(wrong, 0);
    em_queue_t of = atomic;
    EXPECT_EQ(em_sched_context_type_current(&of), EM_SCHED_CONTEXT_TYPE_NONE);
    EXPECT_EQ(of, EM_QUEUE_UNDEF);
}

TEST(local, has_no_place_for_who_is_no_core) {
    cores machine(1);
    receive_by nothing = [](em_event_t e, em_queue_t) { em_free(e); };
    const receiver r = make_receiver(nothing, EM_QUEUE_TYPE_LOCAL);
    const em_event_t e = make_event();
    EXPECT_EQ(em_send(e, r.queue), status_of(EM_ERR_BAD_CONTEXT));
    expect_error(EM_ERR_BAD_CONTEXT, "em_send: queue 0x100 is a local one, and the calling thread is no core");
    em_free(e);
}

TEST(local, its_events_are_freed_when_its_object_stops) {
    cores machine(1, 4);
    std::atomic<int> received{0};
    receive_by later = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    const receiver local = make_receiver(later, EM_QUEUE_TYPE_LOCAL);
    std::atomic<bool> done{false};
    receive_by first = [&](em_event_t e, em_queue_t) {
        em_free(e);
        send_value(1, local.queue);
        send_value(2, local.queue);
        EXPECT_EQ(em_eo_stop(local.eo, 0, nullptr), EM_OK);
        EXPECT_EQ(em_eo_remove_queue(local.eo, local.queue, 0, nullptr), EM_OK);
        EXPECT_EQ(em_queue_delete(local.queue), EM_OK);
        done = true;
    };
    const receiver scheduled = make_receiver(first, EM_QUEUE_TYPE_PARALLEL);
    send_value(0, scheduled.queue);
    cores::until([&] { return done.load(); });
    ASSERT_EQ(em_eo_stop_sync(scheduled.eo), EM_OK);
    EXPECT_EQ(received, 0);
    EXPECT_EQ(free_events(4), 4U);
}

// --- output ---------------------------------------------------------------------------------------------------------

struct sink {
    log* seen;
    int takes;
};

int take_some(const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* args) {
    const sink& s = *static_cast<const sink*>(args);
    int n = 0;
    for (; n < s.takes && static_cast<unsigned>(n) < num; ++n) {
        s.seen->add(free_value(events[n]));
    }
    return n;
}

TEST(output, its_function_takes_what_is_sent) {
    cores machine(1);
    log seen;
    sink s{&seen, 100};
    const em_queue_t copied = make_output(take_some, &s, sizeof s);
    const em_queue_t shared = make_output(take_some, &s);
    s.takes = 0; // the first one has a copy
    send_value(7, copied);
    EXPECT_EQ(seen.all(), std::vector<int>{7});
    const em_event_t e = make_event(8);
    EXPECT_EQ(em_send(e, shared), status_of(EM_ERR_OPERATION_FAILED));
    expect_error(EM_ERR_OPERATION_FAILED, "em_send: the output function of queue 0x101 has not taken the event");
    em_free(e); // it is still ours
    ASSERT_EQ(em_queue_delete(copied), EM_OK);
    ASSERT_EQ(em_queue_delete(shared), EM_OK);
}

TEST(output, what_its_function_throws_is_told) {
    cores machine(1);
    const em_queue_t out = make_output(
        [](const em_event_t events[], const unsigned num, const em_queue_t /*queue*/, void* /*args*/) -> int {
            for (unsigned i = 0; i < num; ++i) {
                em_free(events[i]);
            }
            throw std::runtime_error("no way out");
        },
        nullptr);
    const std::string text = "em_send: an output function has thrown: no way out; queue 0x100 had given it 1 events, "
                             "which are not freed";
    send_value(1, out);
    expect_error(EM_ERR_LIB_FAILED, text);
    std::atomic<bool> passed{false};
    receive_by pass_on = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(em_send(e, out), EM_OK);
        passed = true;
    };
    const receiver ordered = make_receiver(pass_on, EM_QUEUE_TYPE_PARALLEL_ORDERED); // in whose order it waits
    send_value(2, ordered.queue);
    cores::until([&] { return passed.load(); });
    ASSERT_EQ(em_eo_stop_sync(ordered.eo), EM_OK);
    expect_error(EM_ERR_LIB_FAILED, text);
    ASSERT_EQ(em_queue_delete(out), EM_OK);
}

} // namespace
} // namespace skerry::test
