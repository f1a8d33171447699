// SPDX-License-Identifier: Apache-2.0

// Many events from outside. SKERRY_STRESS_SECONDS scales how many: 10 are ten million.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/event.h>

#include "../failing_allocator.hpp"
#include "bare_machine.hpp"
#include "receiving.hpp"

namespace skerry::test {
namespace {

std::uint64_t how_many() {
    const char* const text = std::getenv("SKERRY_STRESS_SECONDS");
    return static_cast<std::uint64_t>(1e6 * (text != nullptr ? std::atof(text) : 1.0));
}

em_event_t make_numbered(std::uint64_t number) {
    const em_event_t e = skerry_em_alloc_wait(sizeof number, EM_EVENT_TYPE_SW, EM_POOL_DEFAULT, UINT64_MAX);
    *static_cast<std::uint64_t*>(em_event_pointer(e)) = number;
    return e;
}

struct slow_receiver {
    std::uint64_t next = 0; // guarded by the queue
    std::uint64_t wrong = 0;
    std::atomic<std::uint64_t> received{0};
};
void receive_slowly(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    slow_receiver& s = *static_cast<slow_receiver*>(context);
    s.wrong += *static_cast<const std::uint64_t*>(em_event_pointer(event)) != s.next++ ? 1 : 0;
    for (volatile int work = 0; work < 50;) {
        work = work + 1;
    }
    em_free(event);
    ++s.received;
}

// The sender is faster, and waits for events all the time. Nothing is lost, and no memory is taken.
TEST(event_flood, a_slow_receiver_loses_nothing_and_memory_is_flat) {
    slow_receiver s;
    const std::uint64_t count = how_many();
    cores machine(1, 512);
    const receiver r = make_receiver(receive_slowly, &s, EM_QUEUE_TYPE_ATOMIC);
    long before = 0;
    std::uint64_t waits = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i == count / 10) {
            before = live;
        }
        waits += i - s.received >= 511 ? 1 : 0;
        ASSERT_EQ(em_send(make_numbered(i), r.queue), EM_OK);
    }
    const long after = live;
    cores::until([&] { return s.received == count; });
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_EQ(s.wrong, 0U);
    EXPECT_LE(after, before + 4); // what a thread makes once
    EXPECT_GE(waits, 1U);
    EXPECT_EQ(free_events(512), 512U);
    EXPECT_TRUE(take_errors().empty());
}

// --- cores come and go ----------------------------------------------------------------------------------------------

struct visited {
    em_queue_t target = EM_QUEUE_UNDEF;
    std::uint64_t next = 0; // guarded by that queue
    std::uint64_t wrong = 0;
    std::atomic<std::uint64_t> received{0};
};
void pass_on(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    em_preschedule();
    EXPECT_EQ(em_send(event, static_cast<visited*>(context)->target), EM_OK);
}
void check_number(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    visited& v = *static_cast<visited*>(context);
    v.wrong += *static_cast<const std::uint64_t*>(em_event_pointer(event)) != v.next++ ? 1 : 0;
    em_free(event);
    ++v.received;
}

class event_flood_on : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(schedulers, event_flood_on, testing::Values(0, 1));

TEST_P(event_flood_on, cores_come_and_go_while_events_flow) {
    const with_options o([](skerry_em_options_t& options) { options.asynchronous = GetParam(); });
    constexpr std::uint64_t count = 20'000;
    visited v;
    std::atomic<bool> over{false};
    std::atomic<int> lives{0};
    const bare_machine machine(3, 256);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (unsigned n = 1; !over; ++n) {
                const core_scope is_a_core; // a new one each time
                static_cast<void>(em_dispatch_rounds(1 + n % 15, nullptr, nullptr));
                ++lives;
            }
        });
    }
    v.target = make_receiver(check_number, &v, EM_QUEUE_TYPE_ATOMIC).queue;
    const receiver ordered = make_receiver(pass_on, &v, EM_QUEUE_TYPE_PARALLEL_ORDERED);
    for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(em_send(make_numbered(i), ordered.queue), EM_OK);
    }
    cores::until([&] { return v.received == count; });
    over = true;
    threads.clear();
    EXPECT_EQ(v.wrong, 0U);
    EXPECT_GE(lives, 100);
    EXPECT_EQ(free_events(256), 256U);
}

} // namespace
} // namespace skerry::test
