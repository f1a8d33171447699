// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

#include "receiving.hpp"
#include "this_core.hpp"

namespace skerry::test {
namespace {

class on_cores : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(events, on_cores, testing::Values(1, 2, 4));

// --- a million events through 64 atomic queues ----------------------------------------------------------------------

constexpr unsigned queue_count = 64;
constexpr unsigned senders = 4;
constexpr std::uint64_t events_in_all = 1'000'000;

struct token {
    unsigned sender;
    std::uint64_t number; // of the sender's to this queue
};

struct flow {
    std::atomic<bool> received{false}; // by a core, now
    std::array<std::uint64_t, senders> next{};
    std::uint64_t count = 0;
};

struct flood {
    std::array<flow, queue_count> flows;
    std::array<em_queue_t, queue_count> queue{};
    std::atomic<std::uint64_t> received{0};
    std::atomic<std::uint64_t> wrong{0};
};

void take_token(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* queue_context) {
    flood& all = *static_cast<flood*>(context);
    flow& f = *static_cast<flow*>(queue_context);
    const token t = *static_cast<const token*>(em_event_pointer(event));
    if (f.received.exchange(true)) {
        ++all.wrong; // another core has one of this queue
    }
    if (t.number != f.next[t.sender]++) {
        ++all.wrong; // lost, doubled, or overtaken
    }
    ++f.count;
    f.received.store(false);
    em_free(event);
    ++all.received;
}

TEST_P(on_cores, a_million_events_through_64_atomic_queues) {
    cores machine(GetParam(), 4096);
    flood all;
    const em_eo_t eo = em_eo_create("flood", start_nothing, nullptr, stop_nothing, nullptr, take_token, &all);
    for (unsigned i = 0; i < queue_count; ++i) {
        all.queue[i] =
            em_queue_create(nullptr, EM_QUEUE_TYPE_ATOMIC, EM_QUEUE_PRIO_NORMAL, EM_QUEUE_GROUP_DEFAULT, nullptr);
        ASSERT_EQ(em_queue_set_context(all.queue[i], &all.flows[i]), EM_OK);
        ASSERT_EQ(em_eo_add_queue_sync(eo, all.queue[i]), EM_OK);
    }
    ASSERT_EQ(em_eo_start_sync(eo, nullptr, nullptr), EM_OK);
    std::vector<std::thread> threads;
    for (unsigned s = 0; s < senders; ++s) {
        threads.emplace_back([&all, s] {
            std::array<std::uint64_t, queue_count> sent{};
            std::uint64_t seed = s + 1;
            for (std::uint64_t n = 0; n < events_in_all / senders; ++n) {
                em_event_t e = em_alloc(sizeof(token), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
                while (e == EM_EVENT_UNDEF) { // all are under way
                    std::this_thread::yield();
                    e = em_alloc(sizeof(token), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
                }
                seed = seed * 6364136223846793005U + 1442695040888963407U;
                const auto to = static_cast<std::size_t>(seed >> 58);
                *static_cast<token*>(em_event_pointer(e)) = {s, sent[to]++};
                ASSERT_EQ(em_send(e, all.queue[to]), EM_OK);
            }
        });
    }
    for (std::thread& t : threads) {
        t.join();
    }
    cores::until([&] { return all.received == events_in_all; });
    EXPECT_EQ(all.wrong, 0U);
    std::uint64_t count = 0;
    for (const flow& f : all.flows) {
        count += f.count;
    }
    EXPECT_EQ(count, events_in_all);
    ASSERT_EQ(em_eo_stop_sync(eo), EM_OK);
    for (const error_seen& e : take_errors()) { // of senders that found the pool empty
        ASSERT_EQ(e.error, status_of(EM_ERR_ALLOC_FAILED)) << e.text;
    }
}

// --- what receive functions may do ----------------------------------------------------------------------------------

struct sums {
    std::atomic<long> total{0};
    std::atomic<int> received{0};
};

void add_in_parallel(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    sums& s = *static_cast<sums*>(context);
    const long n = *static_cast<const long*>(em_event_pointer(event));
    em_free(event);
    s.total += skerry::parallel_reduce(std::views::iota(0L, n), 0L);
    static_cast<void>(skerry::submit([&s] { s.total += 1; })); // nobody waits for it but the end of this function
    ++s.received;
}

TEST_P(on_cores, receive_functions_run_loops_and_leave_tasks) {
    cores machine(GetParam());
    sums s;
    const receiver r = make_receiver(add_in_parallel, &s, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 0; i < 100; ++i) {
        const em_event_t e = em_alloc(sizeof(long), EM_EVENT_TYPE_SW, EM_POOL_DEFAULT);
        *static_cast<long*>(em_event_pointer(e)) = 10'000;
        ASSERT_EQ(em_send(e, r.queue), EM_OK);
    }
    cores::until([&] { return s.received == 100; });
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
    EXPECT_EQ(s.total, 100 * (10'000L * 9'999 / 2 + 1));
}

struct children {
    std::atomic<int> ended{0};
    std::atomic<int> wrong{0};
    std::atomic<int> received{0};
};

void wait_for_own_children(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/,
                           void* /*ctx*/) {
    children& c = *static_cast<children*>(context);
    em_free(event);
    int mine = 0;
    skerry::spawn([](int& m) { m = 1; }, skerry::inout(mine));
    skerry::taskwait();
    c.wrong += mine != 1;
    ++c.received;
}

TEST_P(on_cores, each_receive_function_is_a_parent_of_its_own) {
    cores machine(GetParam());
    children c;
    const receiver r = make_receiver(wait_for_own_children, &c, EM_QUEUE_TYPE_PARALLEL);
    for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    }
    cores::until([&] { return c.received == 500; });
    EXPECT_EQ(c.wrong, 0);
}

// --- choice ---------------------------------------------------------------------------------------------------------

struct order {
    std::mutex lock;
    std::vector<int> seen;
    std::atomic<bool> inside{false};
    std::atomic<bool> go{false};
};

void note_number(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    order& o = *static_cast<order*>(context);
    const int n = free_value(event);
    o.inside = true;
    if (n < 0) {
        wait_for(o.go);
    }
    const std::lock_guard lock(o.lock);
    o.seen.push_back(n);
}

TEST(events, the_highest_priority_goes_first) {
    cores machine(1);
    order o;
    const receiver block = make_receiver(note_number, &o, EM_QUEUE_TYPE_PARALLEL);
    std::vector<receiver> by_priority;
    for (unsigned p = 0; p < EM_QUEUE_PRIO_NUM; ++p) {
        by_priority.push_back(make_receiver(note_number, &o, EM_QUEUE_TYPE_PARALLEL, p));
    }
    send_value(-1, block.queue); // keeps the core until all have been sent
    cores::until([&] { return o.inside.load(); });
    for (unsigned p = 0; p < EM_QUEUE_PRIO_NUM; ++p) {
        send_value(static_cast<int>(p), by_priority[p].queue);
    }
    o.go = true;
    cores::until([&] {
        const std::lock_guard lock(o.lock);
        return o.seen.size() == EM_QUEUE_PRIO_NUM + 1;
    });
    EXPECT_EQ(o.seen, (std::vector<int>{-1, 7, 6, 5, 4, 3, 2, 1, 0}));
}

struct let_go_early {
    std::atomic<int> inside{0};
    std::atomic<bool> met{false};
};

void end_atomic_and_wait(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/,
                         void* /*ctx*/) {
    let_go_early& l = *static_cast<let_go_early*>(context);
    em_free(event);
    em_atomic_processing_end();
    if (++l.inside == 2) {
        l.met = true;
    }
    wait_for(l.met); // the other core receives the next event meanwhile
}

TEST(events, an_atomic_queue_goes_on_when_it_is_let_go) {
    cores machine(2);
    let_go_early l;
    const receiver r = make_receiver(end_atomic_and_wait, &l, EM_QUEUE_TYPE_ATOMIC);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    }
    cores::until([&] { return l.met.load(); });
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

// A core that waits for an event runs the tasks of another one's receive function.
struct helped {
    std::atomic<int> inside{0};
    std::atomic<bool> both{false};
};

void fork_two(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    helped& h = *static_cast<helped*>(context);
    em_free(event);
    const auto meet = [&h] {
        if (++h.inside == 2) {
            h.both = true;
        }
        wait_for(h.both);
    };
    skerry::parallel_invoke(meet, meet);
}

TEST(events, a_core_without_events_runs_tasks_of_others) {
    cores machine(2);
    helped h;
    const receiver r = make_receiver(fork_two, &h, EM_QUEUE_TYPE_ATOMIC);
    ASSERT_EQ(em_send(make_event(), r.queue), EM_OK);
    cores::until([&] { return h.both.load(); });
    ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
}

TEST(events, a_round_of_dispatch_is_an_event) {
    constexpr int events = 200;
    const this_core machine(1024);
    std::atomic<int> received{0};
    const receiver r = make_receiver(
        [](void* context, em_event_t event, em_event_type_t, em_queue_t, void*) {
            em_free(event);
            ++*static_cast<std::atomic<int>*>(context);
        },
        &received, EM_QUEUE_TYPE_ATOMIC);
    std::thread sender([&] {
        for (int i = 0; i < events; ++i) {
            std::this_thread::sleep_for(std::chrono::microseconds(200)); // so that the core sleeps
            EXPECT_EQ(em_send(make_event(), r.queue), EM_OK);
        }
    });
    int early = 0; // calls that came back without an event before their 10 ms were over
    while (received < events) {
        const int before = received;
        const auto begin = std::chrono::steady_clock::now();
        const std::uint64_t events_of_it = em_dispatch(1);
        ASSERT_EQ(events_of_it, static_cast<std::uint64_t>(received - before));
        early += received == before && std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(9) ? 1 : 0;
    }
    EXPECT_EQ(early, 0);
    sender.join();
}

TEST(events, idle_cores_use_no_processor) {
    cores machine(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    timespec before{};
    timespec after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double used =
        static_cast<double>(after.tv_sec - before.tv_sec) + static_cast<double>(after.tv_nsec - before.tv_nsec) * 1e-9;
    EXPECT_LT(used, 0.1); // a core that searched all the time would use 0.5
}

} // namespace
} // namespace skerry::test
