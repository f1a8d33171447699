// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "bare_machine.hpp"

namespace skerry::test {
namespace {

using testing::HasSubstr;

std::vector<em_event_t> take_all(em_pool_t pool) {
    std::vector<em_event_t> all;
    while (const em_event_t e = em_alloc(1, EM_EVENT_TYPE_SW, pool)) {
        all.push_back(e);
    }
    expect_error(EM_ERR_ALLOC_FAILED, "em_alloc: no event of 1 bytes is free in pool");
    return all;
}

void give_all(std::vector<em_event_t>& all) { em_free_multi(all.data(), static_cast<int>(all.size())); }

em_pool_subpool_stats_t counters_of(em_pool_t pool) {
    em_pool_stats_t all;
    EXPECT_EQ(em_pool_stats(pool, &all), EM_OK);
    EXPECT_EQ(all.num_subpools, 1U);
    return all.subpool_stats[0];
}

// A machine of which the calling thread is a core, and a pool.
struct core_with_pool {
    explicit core_with_pool(const em_pool_cfg_t& config, int count = 1) : machine(count), pool(make_pool(config)) {}

    bare_machine machine;
    em_pool_t pool;
    core_scope core;
};

// --- sizes, places ---------------------------------------------------------------------------------------------------

TEST(pools, the_smallest_subpool_that_has_an_event_gives_it) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(200, 1);
    c.num_subpools = 3;
    c.subpool[1] = {50, 1, 0};
    c.subpool[2] = {1000, 1, 0};
    const em_pool_t pool = make_pool(c, "three");
    ASSERT_NE(pool, EM_POOL_UNDEF);
    EXPECT_EQ(em_pool_get_num_subpools(pool), 3);
    std::vector<em_event_t> taken;
    for (int i = 0; i < 3; ++i) {
        taken.push_back(em_alloc(10, EM_EVENT_TYPE_SW, pool));
        int subpool = -1;
        EXPECT_EQ(em_event_get_pool_subpool(taken.back(), &subpool), pool);
        EXPECT_EQ(subpool, i) << "50, then 200, then 1000 bytes";
        EXPECT_EQ(em_event_get_size(taken.back()), 10U);
    }
    EXPECT_EQ(em_alloc(10, EM_EVENT_TYPE_SW, pool), EM_EVENT_UNDEF);
    expect_error(EM_ERR_ALLOC_FAILED, "em_alloc: no event of 10 bytes is free in pool 'three'");
    em_free(taken[0]);
    EXPECT_EQ(em_alloc(51, EM_EVENT_TYPE_SW, pool), EM_EVENT_UNDEF) << "only the smallest is free";
    expect_error(EM_ERR_ALLOC_FAILED, "em_alloc: no event of 51 bytes is free in pool 'three'");
    em_free(taken[1]);
    em_free(taken[2]);
    em_pool_info_t info;
    ASSERT_EQ(em_pool_info(pool, &info), EM_OK);
    EXPECT_EQ(info.subpool[0].size, 50U);
    EXPECT_EQ(info.subpool[1].size, 200U);
    EXPECT_EQ(info.subpool[2].size, 1000U);
}

TEST(pools, payloads_and_user_areas_are_aligned_and_apart) {
    const bare_machine machine;
    for (const std::uint32_t offset : {0U, 2U, 4U, 8U}) {
        em_pool_cfg_t c = pool_config(100, 3, EM_EVENT_TYPE_PACKET);
        c.align_offset.in_use = true;
        c.align_offset.value = offset;
        c.user_area.in_use = true;
        c.user_area.size = 70;
        c.pkt.headroom.in_use = true;
        c.pkt.headroom.value = 30;
        const em_pool_t pool = make_pool(c);
        ASSERT_NE(pool, EM_POOL_UNDEF);
        std::vector<em_event_t> all;
        for (int i = 0; i < 3; ++i) {
            const em_event_t e = em_alloc(100, EM_EVENT_TYPE_PACKET, pool);
            all.push_back(e);
            EXPECT_EQ((reinterpret_cast<std::uintptr_t>(em_event_pointer(e)) + offset) % 64, 0U);
            std::size_t size = 0;
            void* const area = em_event_uarea_get(e, &size);
            EXPECT_EQ(size, 70U);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(area) % 64, 0U);
            EXPECT_GE(em_packet_headroom(e), 30U);
            std::memset(area, 10 + i, 70);
            void* const first = em_packet_push_head(e, em_packet_headroom(e));
            std::memset(first, 20 + i, em_packet_size(e));
        }
        for (int i = 0; i < 3; ++i) { // nobody has written into another one's
            const em_event_t e = all[static_cast<std::size_t>(i)];
            const auto* const area = static_cast<const std::uint8_t*>(em_event_uarea_get(e, nullptr));
            EXPECT_EQ(std::count(area, area + 70, 10 + i), 70);
            const auto* const bytes = static_cast<const std::uint8_t*>(em_packet_pointer(e));
            EXPECT_EQ(std::count(bytes, bytes + em_packet_size(e), 20 + i), em_packet_size(e));
        }
        give_all(all);
        ASSERT_EQ(em_pool_delete(pool), EM_OK);
    }
}

// --- caches ----------------------------------------------------------------------------------------------------------

TEST(pools, what_lies_in_a_cores_cache_serves_all_threads) {
    const core_with_pool at(pool_config(64, 100), 2);
    const em_pool_t pool = at.pool;
    std::vector<em_event_t> all = take_all(pool);
    EXPECT_EQ(all.size(), 100U);
    give_all(all);
    const em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_GT(s.cache_available, 0U);
    EXPECT_LE(s.cache_available, 25U) << "two cores may have half of the events";
    EXPECT_EQ(s.available + s.cache_available, 100U);
    std::thread([&] { // which is no core
        std::vector<em_event_t> others = take_all(pool);
        EXPECT_EQ(others.size(), 100U);
        give_all(others);
    })
        .join();
    EXPECT_EQ(counters_of(pool).available, 100U);
    all = take_all(pool);
    EXPECT_EQ(all.size(), 100U);
    give_all(all);
    std::thread([&] {
        const core_scope other;
        std::vector<em_event_t> others = take_all(pool);
        EXPECT_EQ(others.size(), 100U);
        give_all(others);
    }).join();
}

TEST(pools, a_core_that_leaves_gives_its_cache_back) {
    const bare_machine machine(2);
    const em_pool_t pool = make_pool(pool_config(64, 40));
    std::thread([&] {
        const core_scope core;
        std::vector<em_event_t> all = take_all(pool);
        give_all(all);
        EXPECT_GT(counters_of(pool).cache_available, 0U);
    }).join();
    const em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.cache_available, 0U);
    EXPECT_EQ(s.available, 40U);
}

TEST(pools, foreign_events_go_back_in_batches) {
    const bare_machine machine(1);
    em_pool_cfg_t c = pool_config(64, 400);
    c.subpool[0].cache_size = 64;
    const em_pool_t pool = make_pool(c);
    std::vector<em_event_t> all; // by a thread that is no core
    for (int i = 0; i < 400; ++i) {
        all.push_back(em_alloc(64, EM_EVENT_TYPE_SW, pool));
    }
    ASSERT_EQ(em_pool_stats_reset(pool), EM_OK);
    const core_scope core;
    give_all(all);
    const em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.cache_free_ops, 400U);
    EXPECT_LE(s.free_ops, 400U / 32);
    EXPECT_EQ(s.available + s.cache_available, 400U);
    EXPECT_LE(s.cache_available, 64U);
}

// When somebody has found none, until a quarter is free again: what is freed is for all at once.
TEST(pools, events_that_are_scarce_are_not_cached) {
    const bare_machine machine(1);
    em_pool_cfg_t c = pool_config(64, 400);
    c.subpool[0].cache_size = 64;
    const em_pool_t pool = make_pool(c);
    std::vector<em_event_t> all = take_all(pool);
    const core_scope core;
    for (std::uint32_t n = 1; n <= 100; ++n) {
        em_free(all.back());
        all.pop_back();
        const em_pool_subpool_stats_t s = counters_of(pool);
        ASSERT_EQ(s.available, n);
        ASSERT_EQ(s.cache_available, 0U);
    }
    all.push_back(em_alloc(64, EM_EVENT_TYPE_SW, pool)); // alone, and not with others for the cache
    EXPECT_EQ(counters_of(pool).cache_available, 0U);
    give_all(all);
    EXPECT_GT(counters_of(pool).cache_available, 0U);
}

TEST(pools, a_pool_without_caches_has_none) {
    em_pool_cfg_t c = pool_config(64, 40);
    c.subpool[0].cache_size = 0;
    const core_with_pool at(c);
    const em_pool_t pool = at.pool;
    std::vector<em_event_t> all = take_all(pool);
    give_all(all);
    const em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.available, 40U);
    EXPECT_EQ(s.alloc_ops, 41U);
    EXPECT_EQ(s.free_ops, 40U);
    EXPECT_EQ(s.cache_alloc_ops + s.cache_free_ops + s.cache_available, 0U);
}

// Eight threads hold at most four events each of 32: one more is always free somewhere.
TEST(pools, no_alloc_fails_while_an_event_is_free) {
    constexpr int threads = 8;
    constexpr int held = 4;
    const bare_machine machine(threads / 2);
    const em_pool_t pool = make_pool(pool_config(64, threads * held));
    std::atomic<int> failed{0};
    std::atomic<int> shared{0};
    const auto work = [&](int mine) {
        std::array<em_event_t, held> have{};
        std::uint64_t seed = static_cast<std::uint64_t>(mine) + 1;
        for (int n = 0; n < 20'000; ++n) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            em_event_t& e = have[(seed >> 40) % held];
            if (e == EM_EVENT_UNDEF) {
                e = em_alloc(sizeof(int), EM_EVENT_TYPE_SW, pool);
                if (e == EM_EVENT_UNDEF) {
                    ++failed;
                    continue;
                }
                *static_cast<int*>(em_event_pointer(e)) = mine;
            } else {
                shared += *static_cast<const int*>(em_event_pointer(e)) != mine ? 1 : 0;
                em_free(std::exchange(e, EM_EVENT_UNDEF));
            }
        }
        for (const em_event_t e : have) {
            if (e != EM_EVENT_UNDEF) {
                em_free(e);
            }
        }
    };
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
            if (i % 2 == 0) {
                const core_scope core;
                work(i);
            } else {
                work(i);
            }
        });
    }
    for (std::thread& t : all) {
        t.join();
    }
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(shared, 0) << "an event that two threads had";
    const em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.available, static_cast<std::uint64_t>(threads * held));
    EXPECT_EQ(s.alloc_fails, 0U);
    EXPECT_EQ(em_pool_delete(pool), EM_OK);
}

// --- counters --------------------------------------------------------------------------------------------------------

TEST(pools, counters_add_up) {
    const core_with_pool at(pool_config(64, 100));
    const em_pool_t pool = at.pool;
    std::vector<em_event_t> all = take_all(pool);
    em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.alloc_fails, 1U);
    EXPECT_EQ(s.cache_alloc_ops + s.alloc_ops - s.alloc_fails, 100U);
    EXPECT_EQ(s.available + s.cache_available, 0U);
    give_all(all);
    s = counters_of(pool);
    EXPECT_EQ(s.cache_free_ops, 100U);
    EXPECT_EQ(s.total_ops, s.alloc_ops + s.free_ops);
    EXPECT_EQ(s.available + s.cache_available, 100U);
    const std::uint64_t cached = s.cache_available;
    ASSERT_EQ(em_pool_stats_reset(pool), EM_OK);
    s = counters_of(pool);
    EXPECT_EQ(s.alloc_ops + s.alloc_fails + s.free_ops + s.total_ops + s.cache_alloc_ops + s.cache_free_ops, 0U);
    EXPECT_EQ(s.cache_available, cached) << "which is no count of what was done";
    EXPECT_EQ(s.available, 100 - cached);
}

TEST(pools, counters_that_are_not_asked_for_are_not_shown) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(64, 10);
    c.stats_opt.opt.all = 0;
    c.stats_opt.opt.alloc_ops = 1;
    c.stats_opt.opt.available = 1;
    const em_pool_t pool = make_pool(c);
    const em_event_t e = em_alloc(1, EM_EVENT_TYPE_SW, pool);
    em_pool_subpool_stats_t s = counters_of(pool);
    EXPECT_EQ(s.alloc_ops, 1U);
    EXPECT_EQ(s.total_ops, 0U);
    EXPECT_EQ(s.available, 9U);
    em_pool_stats_opt_t which{};
    which.alloc_ops = 1;
    em_pool_stats_selected_t some;
    ASSERT_EQ(em_pool_stats_selected(pool, &some, &which), EM_OK);
    EXPECT_EQ(some.num_subpools, 1U);
    EXPECT_EQ(some.subpool_stats[0].alloc_ops, 1U);
    EXPECT_EQ(some.subpool_stats[0].available, 0U);
    which.free_ops = 1;
    EXPECT_EQ(em_pool_stats_selected(pool, &some, &which), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_pool_stats_selected: pool 'p' does not show all of these counters");
    em_pool_info_t info;
    ASSERT_EQ(em_pool_info(pool, &info), EM_OK);
    EXPECT_EQ(info.subpool[0].used, 1U);
    EXPECT_EQ(info.subpool[0].free, 9U);
    c.stats_opt.in_use = false;
    const em_pool_t silent = make_pool(c, "silent");
    ASSERT_EQ(em_pool_info(silent, &info), EM_OK);
    EXPECT_EQ(info.subpool[0].num, 10U);
    EXPECT_EQ(info.subpool[0].free, 0U);
    em_free(e);
}

TEST(pools, single_subpools_have_counters) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(64, 10);
    c.num_subpools = 2;
    c.subpool[1] = {128, 20, 0};
    const em_pool_t pool = make_pool(c);
    const em_event_t e = em_alloc(100, EM_EVENT_TYPE_SW, pool);
    const std::array<int, 2> both{1, 0};
    std::array<em_pool_subpool_stats_t, 2> s{};
    ASSERT_EQ(em_pool_subpool_stats(pool, both.data(), 2, s.data()), 2);
    EXPECT_EQ(s[0].available, 19U);
    EXPECT_EQ(s[1].available, 10U);
    std::array<em_pool_subpool_stats_selected_t, 2> some{};
    em_pool_stats_opt_t which{};
    which.available = 1;
    ASSERT_EQ(em_pool_subpool_stats_selected(pool, both.data(), 2, some.data(), &which), 2);
    EXPECT_EQ(some[0].available, 19U);
    EXPECT_EQ(some[0].alloc_ops, 0U);
    ASSERT_EQ(em_pool_subpool_stats_reset(pool, both.data(), 1), EM_OK);
    ASSERT_EQ(em_pool_subpool_stats(pool, both.data(), 1, s.data()), 1);
    EXPECT_EQ(s[0].alloc_ops, 0U);
    const std::array<int, 2> wrong{1, 2};
    EXPECT_EQ(em_pool_subpool_stats(pool, wrong.data(), 2, s.data()), 1);
    expect_error(EM_ERR_BAD_ARG, "em_pool_subpool_stats: pool 'p' has no subpool 2");
    EXPECT_EQ(em_pool_subpool_stats(pool, both.data(), 3, s.data()), 0);
    expect_error(EM_ERR_BAD_ARG, "em_pool_subpool_stats: 3 subpools, of 2, or no table of them");
    EXPECT_EQ(em_pool_subpool_stats_reset(pool, nullptr, 1), status_of(EM_ERR_BAD_ARG));
    expect_error(EM_ERR_BAD_ARG, "em_pool_subpool_stats_reset: 1 subpools, of 2, or no table of them");
    EXPECT_EQ(em_pool_subpool_stats_selected(pool, both.data(), 2, some.data(), nullptr), 0);
    expect_error(EM_ERR_BAD_POINTER, "em_pool_subpool_stats_selected: a null pointer");
    EXPECT_EQ(em_pool_stats(pool, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_pool_stats: a null pointer");
    EXPECT_EQ(em_pool_stats_reset(EM_POOL_UNDEF), status_of(EM_ERR_BAD_ID));
    expect_error(EM_ERR_BAD_ID, "em_pool_stats_reset: there is no pool");
    em_free(e);
}

TEST(pools, they_are_printed) {
    const bare_machine machine;
    em_pool_cfg_t c = pool_config(64, 10);
    c.num_subpools = 2;
    c.subpool[1] = {128, 20, 0};
    const em_pool_t pool = make_pool(c, "printed");
    em_free(em_alloc(1, EM_EVENT_TYPE_SW, pool));
    testing::internal::CaptureStdout();
    em_pool_info_print(pool);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                HasSubstr("'printed': type 0x1000000, align_offset 0, user_area 0\n"
                          "  subpool 0: size 64, num 10, cache_size 5, used 0, free 10\n"));
    testing::internal::CaptureStdout();
    em_pool_info_print_all();
    const std::string all = testing::internal::GetCapturedStdout();
    EXPECT_THAT(all, HasSubstr("'default': "));
    EXPECT_THAT(all, HasSubstr("'printed': "));
    testing::internal::CaptureStdout();
    em_pool_stats_print(pool);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                HasSubstr("  subpool 0: available 10 alloc_ops 1 alloc_fails 0 free_ops 1 total_ops 2 "
                          "cache_available 0 cache_alloc_ops 0 cache_free_ops 0\n  subpool 1: available 20 "));
    const int second = 1;
    testing::internal::CaptureStdout();
    em_pool_subpool_stats_print(pool, &second, 1);
    const std::string one = testing::internal::GetCapturedStdout();
    EXPECT_THAT(one, HasSubstr("  subpool 1: available 20 "));
    EXPECT_THAT(one, testing::Not(HasSubstr("subpool 0")));
    em_pool_stats_opt_t which{};
    which.free_ops = 1;
    testing::internal::CaptureStdout();
    em_pool_stats_selected_print(pool, &which);
    EXPECT_THAT(testing::internal::GetCapturedStdout(),
                HasSubstr("  subpool 0: free_ops 1\n  subpool 1: free_ops 0\n"));
    testing::internal::CaptureStdout();
    em_pool_subpool_stats_selected_print(pool, &second, 1, &which);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("\n  subpool 1: free_ops 0\n"));
    testing::internal::CaptureStdout();
    em_pool_info_print(EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_pool_info_print: there is no pool");
    em_pool_stats_print(EM_POOL_UNDEF);
    expect_error(EM_ERR_BAD_ID, "em_pool_stats_print: there is no pool");
    em_pool_subpool_stats_print(EM_POOL_UNDEF, &second, 1);
    expect_error(EM_ERR_BAD_ID, "em_pool_subpool_stats_print: there is no pool");
    em_pool_stats_selected_print(EM_POOL_UNDEF, &which);
    expect_error(EM_ERR_BAD_ID, "em_pool_stats_selected_print: there is no pool");
    em_pool_subpool_stats_selected_print(pool, &second, 1, nullptr);
    expect_error(EM_ERR_BAD_POINTER, "em_pool_subpool_stats_selected: a null pointer");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// --- which there are -------------------------------------------------------------------------------------------------

TEST(pools, they_are_found) {
    const bare_machine machine;
    const em_pool_cfg_t c = pool_config(64, 1);
    const em_pool_t ninth = em_pool_create("ninth", EM_REINTERPRET_CAST(em_pool_t, 9), &c);
    EXPECT_EQ(em_pool_to_u64(ninth), 9U);
    const em_pool_t nameless = em_pool_create(nullptr, EM_POOL_UNDEF, &c);
    EXPECT_EQ(em_pool_find("ninth"), ninth);
    EXPECT_EQ(em_pool_find("default"), EM_POOL_DEFAULT);
    EXPECT_EQ(em_pool_find("nint"), EM_POOL_UNDEF);
    EXPECT_EQ(em_pool_find(""), EM_POOL_UNDEF);
    EXPECT_EQ(em_pool_find(nullptr), EM_POOL_UNDEF);
    unsigned count = 0;
    EXPECT_THAT(gone_through(em_pool_get_first(&count), em_pool_get_next),
                testing::UnorderedElementsAre(EM_POOL_DEFAULT, nameless, ninth));
    EXPECT_EQ(count, 3U);
    EXPECT_EQ(em_pool_get_next(), EM_POOL_UNDEF);
    EXPECT_EQ(em_pool_get_first(nullptr), EM_POOL_DEFAULT);
    std::array<char, 8> name{};
    EXPECT_EQ(em_pool_get_name(ninth, name.data(), name.size()), 5U);
    EXPECT_STREQ(name.data(), "ninth");
    EXPECT_EQ(em_pool_get_name(ninth, name.data(), 3), 2U);
    EXPECT_STREQ(name.data(), "ni");
    EXPECT_EQ(em_pool_get_name(nameless, name.data(), 8), 0U);
    EXPECT_STREQ(name.data(), "");
    EXPECT_EQ(em_pool_get_name(ninth, nullptr, 8), 0U);
    expect_error(EM_ERR_BAD_POINTER, "em_pool_get_name: no room for a name");
    name[0] = 'x';
    EXPECT_EQ(em_pool_get_name(EM_POOL_UNDEF, name.data(), 8), 0U);
    EXPECT_STREQ(name.data(), "");
    expect_error(EM_ERR_BAD_ID, "em_pool_get_name: there is no pool");
    em_pool_info_t info;
    ASSERT_EQ(em_pool_info(ninth, &info), EM_OK);
    EXPECT_STREQ(info.name, "ninth");
    EXPECT_EQ(info.em_pool, ninth);
    EXPECT_EQ(info.event_type, static_cast<em_event_type_t>(EM_EVENT_TYPE_SW));
    EXPECT_EQ(em_pool_info(ninth, nullptr), status_of(EM_ERR_BAD_POINTER));
    expect_error(EM_ERR_BAD_POINTER, "em_pool_info: a null pointer");
    EXPECT_EQ(em_pool_get_num_subpools(EM_POOL_UNDEF), -1);
    expect_error(EM_ERR_BAD_ID, "em_pool_get_num_subpools: there is no pool");
    ASSERT_EQ(em_pool_delete(ninth), EM_OK);
    EXPECT_EQ(em_pool_find("ninth"), EM_POOL_UNDEF);
}

TEST(pools, without_a_machine_there_are_none) {
    static_cast<void>(take_errors());
    ASSERT_EQ(em_register_error_handler(keep_error), EM_OK);
    unsigned count = 7;
    EXPECT_EQ(em_pool_get_first(&count), EM_POOL_UNDEF);
    EXPECT_EQ(count, 0U);
    expect_error(EM_ERR_NOT_INITIALIZED, "em_pool_get_first: em_init() was not called");
    EXPECT_EQ(em_pool_get_next(), EM_POOL_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED, "em_pool_get_next: em_init() was not called");
    EXPECT_EQ(em_pool_find("default"), EM_POOL_UNDEF);
    expect_error(EM_ERR_NOT_INITIALIZED, "em_pool_find: em_init() was not called");
    em_pool_info_print_all();
    expect_error(EM_ERR_NOT_INITIALIZED, "em_pool_info_print_all: em_init() was not called");
    static_cast<void>(em_unregister_error_handler());
}

TEST(pools, configurations_that_are_wrong) {
    const bare_machine machine;
    const auto refused = [](const std::function<void(em_pool_cfg_t&)>& change, em_status_t error, const char* text) {
        em_pool_cfg_t c = pool_config(64, 1, EM_EVENT_TYPE_PACKET);
        change(c);
        EXPECT_EQ(em_pool_create("p", EM_POOL_UNDEF, &c), EM_POOL_UNDEF);
        expect_error(error, text);
    };
    refused([](em_pool_cfg_t& c) { c.align_offset = {true, 3}; }, EM_ERR_BAD_ARG,
            "em_pool_create: the alignment's offset is none of 0, 2, 4 and 8");
    refused([](em_pool_cfg_t& c) { c.user_area = {true, 65'537}; }, EM_ERR_BAD_ARG,
            "em_pool_create: a user area has at most 65536 bytes");
    refused([](em_pool_cfg_t& c) { c.pkt.headroom = {true, 65'537}; }, EM_ERR_BAD_ARG,
            "em_pool_create: a headroom has at most 65536 bytes");
    refused([](em_pool_cfg_t& c) { c.subpool[0].size = 0; }, EM_ERR_BAD_ARG,
            "em_pool_create: a subpool needs a size and a number of events");
    refused([](em_pool_cfg_t& c) { c.event_type = EM_EVENT_TYPE_VECTOR; }, EM_ERR_NOT_IMPLEMENTED,
            "em_pool_create: vectors of events are not there yet");
    refused(
        [](em_pool_cfg_t& c) {
            c.subpool[0].size = UINT32_MAX;
            c.subpool[0].num = UINT32_MAX;
        },
        EM_ERR_ALLOC_FAILED, "em_pool_create: there is no memory");
}

} // namespace
} // namespace skerry::test
