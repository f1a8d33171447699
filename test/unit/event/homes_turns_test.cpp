// SPDX-License-Identifier: Apache-2.0

// Cores at home: whose turn it is, and that nothing is left with one that is busy or has gone.

#include <array>
#include <atomic>
#include <cstdlib>
#include <source_location>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "homes.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

// The other core is busy, too, and so never asks.
TEST_F(homes, what_is_ready_beside_a_long_receive_function_is_received) {
    const cores machine(2);
    self_senders busy;
    for (int i = 0; i < 8; ++i) {
        busy.add(0);
    }
    std::atomic<int> received{0};
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_free(e);
        ++received;
    };
    std::vector<receiver> others;
    for (int i = 0; i < 8; ++i) {
        others.push_back(make_receiver(note, EM_QUEUE_TYPE_ATOMIC));
    }
    receive_by slow = [&](em_event_t e, em_queue_t) {
        em_free(e);
        const int before = received;
        for (const receiver& r : others) {
            send_value(0, r.queue);
        }
        slow_wait wait(std::source_location::current());
        while (received != before + 8) {
            wait.look();
        }
    };
    const receiver first = make_receiver(slow, EM_QUEUE_TYPE_ATOMIC);
    for (int turn = 1; turn <= 20; ++turn) {
        send_value(0, first.queue);
        cores::until([&] { return received == 8 * turn; });
    }
    busy.over = true;
    cores::until([] { return free_events(1024) == 1024; });
    stop({first});
    stop(others);
    stop(busy.all);
}

TEST_F(homes, a_queue_that_sends_to_itself_takes_turns) {
    const this_core machine;
    self_senders all;
    for (int i = 0; i < 3; ++i) {
        all.add(i);
    }
    EXPECT_EQ(em_dispatch(3000), 3000U);
    for (const int i : {0, 1, 2}) {
        EXPECT_THAT(all.counts[static_cast<std::size_t>(i)].load(),
                    testing::AllOf(testing::Ge(900), testing::Le(1100)));
    }
    all.over = true;
    this_core::dispatch(3);
}

// To the other core, which is busy. The one that leaves has been at home, or has taken queues from the other one.
TEST_F(homes, what_a_core_had_ready_goes_on_when_it_leaves) {
    for (const int rounds : {10'000, 10}) {
        detail::the_home_rules.rounds = 64;
        em_conf_t conf = configuration(2);
        ASSERT_EQ(em_init(&conf), EM_OK);
        self_senders all;
        const auto on_core = [](auto&& f) {
            return std::thread([f] {
                EXPECT_EQ(em_init_core(), EM_OK);
                f();
                EXPECT_EQ(em_term_core(), EM_OK);
            });
        };
        std::atomic<int> inside{0};
        std::atomic<bool> go{false};
        std::atomic<bool> left{false};
        const auto dispatch = [&](std::uint64_t n) { EXPECT_EQ(em_dispatch_rounds(n, nullptr, nullptr), EM_OK); };
        std::thread stays = on_core([&] {
            ++inside;
            wait_for(go);
            while (!all.over) {
                dispatch(1000);
            }
            dispatch(1000);
        });
        std::thread leaves = on_core([&] {
            ++inside;
            wait_for(go);
            cores::until([&] { return rounds > 64 || all.counts[16] > 1000; });
            dispatch(static_cast<std::uint64_t>(rounds));
            left = true;
            wait_for(all.over);
        });
        cores::until([&] { return inside == 2; });
        for (int i = 0; i < 17; ++i) {
            all.add(i);
        }
        go = true;
        cores::until([&] { return left.load(); });
        for (std::atomic<int>& count : all.counts) {
            const int before = count;
            cores::until([&] { return count > before; });
        }
        all.over = true;
        stays.join();
        leaves.join();
        static_cast<void>(em_term(&conf));
        static_cast<void>(take_errors());
    }
}

// Also where the machine has no heavy fences, or is watched.
TEST_F(homes, nobody_goes_there_where_stealing_is_locked) {
    const this_core machine;
    const char* const steal = std::getenv("SKERRY_STEAL");
    const bool locked = steal != nullptr && std::string_view(steal) == "locked";
    int at_home = 0;
    receive_by note = [&](em_event_t e, em_queue_t) {
        em_free(e);
        at_home += detail::this_event_thread.works ? 1 : 0;
    };
    const receiver r = make_receiver(note, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 0; i < 10; ++i) {
        send_value(0, r.queue);
    }
    EXPECT_EQ(em_dispatch(10), 10U);
    EXPECT_EQ(at_home, detail::machine::asymmetric() && !locked ? 10 : 0);
}

} // namespace
} // namespace skerry::test
