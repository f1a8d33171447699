// SPDX-License-Identifier: Apache-2.0

// Threads that are no cores and wait for a free event.

#include <atomic>
#include <cstdint>
#include <ctime>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/event.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

void free_it(void* context, em_event_t event, em_event_type_t /*type*/, em_queue_t /*queue*/, void* /*ctx*/) {
    em_free(event); // first: who waits shall be woken by this alone
    ++*static_cast<std::atomic<int>*>(context);
}

// Each of the events is waited for, but for the first: a wake-up that is lost ends all.
TEST(alloc_wait, no_lost_wakeup) {
    constexpr int threads = 3;
    constexpr int each = 20'000;
    for (const std::uint32_t events : {1U, 8U}) {
        cores machine(2, events);
        std::atomic<int> received{0};
        const receiver r = make_receiver(free_it, &received, EM_QUEUE_TYPE_PARALLEL);
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t) {
            all.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    const em_event_t e = skerry_em_alloc_wait(8, sw, EM_POOL_DEFAULT, UINT64_MAX);
                    ASSERT_NE(e, EM_EVENT_UNDEF);
                    ASSERT_EQ(em_send(e, r.queue), EM_OK);
                }
            });
        }
        for (std::thread& t : all) {
            t.join();
        }
        cores::until([&] { return received == threads * each; });
        ASSERT_EQ(em_eo_stop_sync(r.eo), EM_OK);
        EXPECT_TRUE(take_errors().empty());
    }
}

TEST(alloc_wait, an_event_in_a_cores_cache_ends_it) {
    const bare_machine machine(1);
    const em_pool_t pool = make_pool(pool_config(64, 8));
    const core_scope core;
    for (int i = 0; i < 200; ++i) {
        std::vector<em_event_t> all(8);
        ASSERT_EQ(em_alloc_multi(all.data(), 8, 1, sw, pool), 8);
        std::thread waiter([&] {
            const em_event_t e = skerry_em_alloc_wait(1, sw, pool, UINT64_MAX);
            EXPECT_NE(e, EM_EVENT_UNDEF);
            em_free(e);
        });
        if (i % 2 == 0) {
            std::this_thread::yield();
        }
        em_free(all[0]); // into this core's cache
        waiter.join();
        em_free_multi(&all[1], 7);
    }
}

TEST(alloc_wait, waits_of_several_sizes_do_not_take_each_others_wakeups) {
    const bare_machine machine(1);
    em_pool_cfg_t c = pool_config(16, 1);
    c.num_subpools = 2;
    c.subpool[1] = {64, 1, 0};
    const em_pool_t pool = make_pool(c);
    for (int i = 0; i < 200; ++i) {
        const em_event_t small = em_alloc(16, sw, pool);
        const em_event_t large = em_alloc(64, sw, pool);
        std::vector<std::thread> all;
        for (const std::uint32_t size : {16U, 64U}) {
            all.emplace_back([&, size] {
                const em_event_t e = skerry_em_alloc_wait(size, sw, pool, UINT64_MAX);
                EXPECT_EQ(em_event_get_size(e), size);
                em_free(e);
            });
        }
        em_free(i % 2 == 0 ? small : large);
        std::this_thread::yield();
        em_free(i % 2 == 0 ? large : small);
        for (std::thread& t : all) {
            t.join();
        }
    }
}

TEST(alloc_wait, its_time_ends_it) {
    const bare_machine machine;
    const em_pool_t pool = make_pool(pool_config(64, 1));
    const em_event_t only = skerry_em_alloc_wait(1, sw, pool, 0);
    ASSERT_NE(only, EM_EVENT_UNDEF) << "there is one";
    for (const std::uint64_t ns : {std::uint64_t{0}, std::uint64_t{2'000'000}}) {
        ASSERT_EQ(em_pool_stats_reset(pool), EM_OK);
        EXPECT_EQ(skerry_em_alloc_wait(1, sw, pool, ns), EM_EVENT_UNDEF);
        expect_error(EM_ERR_TIMEOUT, "skerry_em_alloc_wait: no event of 1 bytes was free in pool 'p' in time");
        em_pool_stats_t s;
        ASSERT_EQ(em_pool_stats(pool, &s), EM_OK);
        EXPECT_EQ(s.subpool_stats[0].alloc_fails, 1U) << "one call";
    }
    em_free(only);
    ASSERT_EQ(em_pool_delete(pool), EM_OK);
}

TEST(alloc_wait, em_term_ends_it) {
    static_cast<void>(take_errors());
    for (int i = 0; i < 20; ++i) {
        std::vector<std::thread> all;
        std::atomic<int> begun{0};
        {
            const bare_machine machine(1, 1);
            ASSERT_NE(em_alloc(1, sw, EM_POOL_DEFAULT), EM_EVENT_UNDEF); // em_term() frees it
            for (int t = 0; t < 3; ++t) {
                all.emplace_back([&] {
                    ++begun;
                    EXPECT_EQ(skerry_em_alloc_wait(1, sw, EM_POOL_DEFAULT, UINT64_MAX), EM_EVENT_UNDEF);
                });
            }
            cores::until([&] { return begun == 3; });
            EXPECT_EQ(em_term(nullptr), EM_OK);
            for (std::thread& t : all) {
                t.join();
            }
            const std::vector<error_seen> seen = take_errors();
            EXPECT_EQ(seen.size(), 3U);
            for (const error_seen& e : seen) { // one that came late finds no machine
                EXPECT_TRUE(e.text == "skerry_em_alloc_wait: em_term() was called meanwhile" ||
                            e.text == "skerry_em_alloc_wait: em_init() was not called")
                    << e.text;
            }
            em_conf_t conf = configuration(1);
            ASSERT_EQ(em_init(&conf), EM_OK); // for the end of bare_machine
        }
    }
}

TEST(alloc_wait, a_pool_that_is_waited_for_stays) {
    const bare_machine machine;
    const em_pool_t pool = make_pool(pool_config(64, 1));
    for (int i = 0; i < 200; ++i) {
        const em_event_t only = em_alloc(1, sw, pool);
        std::thread waiter([&] { em_free(skerry_em_alloc_wait(1, sw, pool, UINT64_MAX)); });
        EXPECT_EQ(em_pool_delete(pool), status_of(EM_ERR_NOT_FREE));
        expect_error(EM_ERR_NOT_FREE, " events are in use or waited for");
        em_free(only);
        waiter.join();
    }
    ASSERT_EQ(em_pool_delete(pool), EM_OK);
}

// The clock of the thread does not count what else the machine does, so that no load fails it.
TEST(alloc_wait, it_uses_no_processor) {
    const bare_machine machine(1, 1);
    const em_event_t only = em_alloc(1, sw, EM_POOL_DEFAULT);
    std::thread([&] {
        timespec used{};
        EXPECT_EQ(skerry_em_alloc_wait(1, sw, EM_POOL_DEFAULT, 300'000'000), EM_EVENT_UNDEF);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        EXPECT_LT(used.tv_sec * 1'000'000'000 + used.tv_nsec, 100'000'000); // one that searches would use 300 ms
    }).join();
    expect_error(EM_ERR_TIMEOUT, "skerry_em_alloc_wait: no event of 1 bytes was free in pool 'default' in time");
    em_free(only);
}

TEST(alloc_wait, what_is_refused_is_not_waited_for) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    EXPECT_EQ(skerry_em_alloc_wait(1, sw, EM_POOL_DEFAULT, UINT64_MAX), EM_EVENT_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED, "skerry_em_alloc_wait: em_init() was not called");
    const bare_machine machine;
    EXPECT_EQ(skerry_em_alloc_wait(1, sw, EM_POOL_UNDEF, UINT64_MAX), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_ID, "skerry_em_alloc_wait: there is no pool");
    EXPECT_EQ(skerry_em_alloc_wait(257, sw, EM_POOL_DEFAULT, UINT64_MAX), EM_EVENT_UNDEF);
    expect_error(EM_ERR_TOO_LARGE,
                 "skerry_em_alloc_wait: the largest events of pool 'default' have 256 bytes, not 257");
    EXPECT_EQ(skerry_em_alloc_wait(1, EM_EVENT_TYPE_PACKET, EM_POOL_DEFAULT, UINT64_MAX), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_TYPE, "skerry_em_alloc_wait: pool 'default' has no events of type 0x2000000");
    const core_scope core;
    EXPECT_EQ(skerry_em_alloc_wait(1, sw, EM_POOL_DEFAULT, UINT64_MAX), EM_EVENT_UNDEF);
    expect_error(EM_ERR_BAD_CONTEXT, "skerry_em_alloc_wait: the calling thread is a core, which others may wait for");
}

} // namespace
} // namespace skerry::test
