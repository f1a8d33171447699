// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that print what a pool shows.

#include <array>
#include <cinttypes>
#include <cstdio>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

void print_info(const event_pool& p) noexcept {
    em_pool_info_t info;
    if (em_pool_info(p.handle, &info) != EM_OK) {
        return;
    }
    std::printf("pool %p '%s': type 0x%x, align_offset %u, user_area %zu\n", static_cast<void*>(info.em_pool),
                info.name, info.event_type, info.align_offset, info.user_area_size);
    for (int i = 0; i < info.num_subpools; ++i) {
        const auto& s = info.subpool[i];
        std::printf("  subpool %d: size %u, num %u, cache_size %u, used %u, free %u\n", i, s.size, s.num, s.cache_size,
                    s.used, s.free);
    }
}

void print_counters(int subpool, const em_pool_subpool_stats_selected_t& of, em_pool_stats_opt_t which) noexcept {
    struct counter {
        const char* name;
        bool shown;
        std::uint64_t value;
    };
    const std::array<counter, 8> all{{{"available", which.available != 0, of.available},
                                      {"alloc_ops", which.alloc_ops != 0, of.alloc_ops},
                                      {"alloc_fails", which.alloc_fails != 0, of.alloc_fails},
                                      {"free_ops", which.free_ops != 0, of.free_ops},
                                      {"total_ops", which.total_ops != 0, of.total_ops},
                                      {"cache_available", which.cache_available != 0, of.cache_available},
                                      {"cache_alloc_ops", which.cache_alloc_ops != 0, of.cache_alloc_ops},
                                      {"cache_free_ops", which.cache_free_ops != 0, of.cache_free_ops}}};
    std::printf("  subpool %d:", subpool);
    for (const counter& c : all) {
        if (c.shown) {
            std::printf(" %s %" PRIu64, c.name, c.value);
        }
    }
    std::printf("\n");
}

// Prints what em_pool_subpool_stats_selected() finds.
void print_some(em_pool_t pool, const int subpools[], int count, const em_pool_stats_opt_t* which) noexcept {
    std::array<em_pool_subpool_stats_selected_t, EM_MAX_SUBPOOLS> found{};
    const int read = em_pool_subpool_stats_selected(pool, subpools, count, found.data(), which);
    if (read > 0) {
        std::printf("pool %p\n", static_cast<void*>(pool));
    }
    for (int i = 0; i < read; ++i) {
        print_counters(subpools[i], found[static_cast<std::size_t>(i)], *which);
    }
}

constexpr std::array<int, EM_MAX_SUBPOOLS> all_subpools{0, 1, 2, 3};

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void em_pool_info_print(em_pool_t pool) {
    static_cast<void>(with_pool("em_pool_info_print", EM_ESCOPE_POOL_INFO, pool,
                                [](event_machine&, const event_pool& p) -> em_status_t {
                                    print_info(p);
                                    return EM_OK;
                                }));
}

void em_pool_info_print_all() {
    static_cast<void>(with_machine("em_pool_info_print_all", EM_ESCOPE_POOL_INFO, [](event_machine& em) -> em_status_t {
        em.each_pool(print_info);
        return EM_OK;
    }));
}

void em_pool_stats_print(em_pool_t pool) {
    static_cast<void>(with_pool("em_pool_stats_print", EM_ESCOPE_POOL_STATS, pool,
                                [&](event_machine&, const event_pool& p) -> em_status_t {
                                    const em_pool_stats_opt_t which = p.shown();
                                    print_some(pool, all_subpools.data(), static_cast<int>(p.count()), &which);
                                    return EM_OK;
                                }));
}

void em_pool_subpool_stats_print(em_pool_t pool, const int subpools[], int num_subpools) {
    static_cast<void>(with_pool("em_pool_subpool_stats_print", EM_ESCOPE_POOL_SUBPOOL_STATS, pool,
                                [&](event_machine&, const event_pool& p) -> em_status_t {
                                    const em_pool_stats_opt_t which = p.shown();
                                    print_some(pool, subpools, num_subpools, &which);
                                    return EM_OK;
                                }));
}

void em_pool_stats_selected_print(em_pool_t pool, const em_pool_stats_opt_t* opt) {
    static_cast<void>(with_pool("em_pool_stats_selected_print", EM_ESCOPE_POOL_STATS_SELECTED, pool,
                                [&](event_machine&, const event_pool& p) -> em_status_t {
                                    print_some(pool, all_subpools.data(), static_cast<int>(p.count()), opt);
                                    return EM_OK;
                                }));
}

void em_pool_subpool_stats_selected_print(em_pool_t pool, const int subpools[], int num_subpools,
                                          const em_pool_stats_opt_t* opt) {
    static_cast<void>(with_pool("em_pool_subpool_stats_selected_print", EM_ESCOPE_POOL_SUBPOOL_STATS_SELECTED, pool,
                                [&](event_machine&, const event_pool&) -> em_status_t {
                                    print_some(pool, subpools, num_subpools, opt);
                                    return EM_OK;
                                }));
}
