// SPDX-License-Identifier: Apache-2.0

// When suspended receive functions go on, and on which core.

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "cooperative.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

using testing::ElementsAre;

TEST_F(cooperative, it_goes_on_before_what_is_ready_of_equal_priority_and_behind_higher_ones) {
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, value_of(e)), EM_OK);
        seen.add(free_value(e));
    };
    const receiver normal = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    const receiver low = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW);
    send_value(1, normal.queue);
    send_value(2, low.queue);
    send_value(3, normal.queue);
    this_core::dispatch(3);
    receive_by note = [&](em_event_t e, em_queue_t) { seen.add(free_value(e)); };
    for (const int i : {10, 11}) {
        send_value(i, make_receiver(note, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue);
        send_value(i + 10, make_receiver(note, EM_QUEUE_TYPE_PARALLEL).queue);
        send_value(i + 20,
                   make_receiver(note, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGH).queue);
    }
    for (const int i : {2, 3, 1}) {
        EXPECT_EQ(w.resume(i), EM_OK);
    }
    this_core::dispatch_until([&] { return seen.size() == 9; });
    EXPECT_THAT(seen.all(), ElementsAre(30, 31, 3, 1, 20, 21, 2, 10, 11));
}

TEST(cooperative_alone, one_of_low_priority_does_not_wait_for_ever) {
    const with_cooperative options([](skerry_em_options_t& o) { o.starvation = 3; });
    const this_core core;
    waiting w;
    log seen;
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        seen.add(free_value(e));
    };
    send_value(1, make_receiver(wait, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_LOW).queue);
    this_core::dispatch(1);
    receive_by again = [&](em_event_t e, em_queue_t q) {
        if (seen.size() == 0) {
            EXPECT_EQ(em_send(e, q), EM_OK);
        } else {
            em_free(e);
        }
    };
    send_value(0, make_receiver(again, EM_QUEUE_TYPE_PARALLEL, EM_QUEUE_GROUP_DEFAULT, EM_QUEUE_PRIO_HIGH).queue);
    EXPECT_EQ(w.resume(0), EM_OK);
    this_core::dispatch_until([&] { return seen.size() == 1; });
    this_core::dispatch(1);
}

std::atomic<bool> idle{false};

TEST_F(cooperative, a_core_that_sleeps_is_woken) {
    idle = false;
    const bare_machine machine(
        1, 16, [](em_conf_t& conf) { conf.idle_hooks.to_idle_hook = [](std::uint64_t) { idle = true; }; });
    waiting w;
    std::atomic<bool> over{false};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        EXPECT_EQ(w.wait(e, 0), EM_OK);
        em_free(e);
        over = true;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    receive_by last = [](em_event_t e, em_queue_t) { em_free(e); };
    const receiver end = make_receiver(last, EM_QUEUE_TYPE_PARALLEL);
    std::thread core([&] {
        const core_scope is_a_core;
        EXPECT_EQ(em_dispatch_events(2, nullptr, nullptr), EM_OK); // sleeps for as long as it takes
    });
    send_value(0, r.queue);
    cores::until([&] { return w.count() == 1 && idle; }); // it sleeps, or is about to
    EXPECT_EQ(w.resume(0), EM_OK);
    wait_for(over);
    send_value(0, end.queue);
    core.join();
}

TEST_F(cooperative, a_thousand_on_three_cores_each_go_on_where_they_were) {
    constexpr int count = 1000;
    const cores machine(3, 2 * count);
    waiting w;
    std::atomic<int> ended{0};
    std::atomic<int> strayed{0};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const std::thread::id thread = std::this_thread::get_id();
        const int core = em_core_id();
        const int value = value_of(e);
        EXPECT_EQ(w.wait(e, value), EM_OK);
        strayed += thread != std::this_thread::get_id() || core != em_core_id() || value != value_of(e) ? 1 : 0;
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < count; ++i) {
        send_value(i, r.queue);
    }
    cores::until([&] { return w.count() == count; });
    for (int i = 0; i < count; ++i) {
        EXPECT_EQ(w.resume((i * 7) % count), EM_OK);
    }
    cores::until([&] { return ended == count; });
    EXPECT_EQ(strayed, 0);
}

TEST_F(cooperative, many_resumes_and_suspends_at_the_same_time_lose_none) {
    constexpr int calls = 8;
    constexpr int turns = 300;
    const cores machine(2);
    std::atomic<int> ended{0};
    std::array<std::atomic<em_event_t>, calls> ready{};
    receive_by wait = [&](em_event_t e, em_queue_t) {
        const int value = value_of(e);
        for (int turn = 0; turn < turns; ++turn) {
            ready[static_cast<std::size_t>(value)] = e; // from here on it may be resumed
            EXPECT_EQ(skerry_em_suspend(), EM_OK);
        }
        em_free(e);
        ++ended;
    };
    const receiver r = make_receiver(wait, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (int i = 0; i < calls; ++i) {
        send_value(i, r.queue);
    }
    slow_wait wait_here(std::source_location::current());
    while (ended != calls) {
        for (std::atomic<em_event_t>& each : ready) {
            if (const em_event_t e = each.exchange(EM_EVENT_UNDEF)) {
                EXPECT_EQ(skerry_em_resume(e), EM_OK);
            }
        }
        wait_here.look();
    }
}

} // namespace
} // namespace skerry::test
