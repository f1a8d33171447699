// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for pools, but for those that print.

#include <algorithm>
#include <optional>

#include "frontend/event/lists.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

const char* wrong_with(const em_pool_cfg_t& c) noexcept {
    if (c.internal_check != initialised) {
        return "em_pool_cfg_init() was not called for the configuration";
    }
    if (c.event_type != EM_EVENT_TYPE_SW && c.event_type != EM_EVENT_TYPE_PACKET) {
        return "the type of events is neither EM_EVENT_TYPE_SW nor EM_EVENT_TYPE_PACKET";
    }
    if (c.align_offset.in_use && c.align_offset.value != 0 && c.align_offset.value != 2 && c.align_offset.value != 4 &&
        c.align_offset.value != 8) {
        return "the alignment's offset is none of 0, 2, 4 and 8";
    }
    if (c.user_area.in_use && c.user_area.size > event_pool::most_user_area) {
        return "a user area has at most 65536 bytes";
    }
    if (c.event_type == EM_EVENT_TYPE_PACKET && c.pkt.headroom.in_use &&
        c.pkt.headroom.value > event_pool::most_headroom) {
        return "a headroom has at most 65536 bytes";
    }
    if (c.num_subpools < 1 || c.num_subpools > EM_MAX_SUBPOOLS) {
        return "a pool has 1 to 4 subpools";
    }
    for (int i = 0; i < c.num_subpools; ++i) {
        if (c.subpool[i].size == 0 || c.subpool[i].num == 0) {
            return "a subpool needs a size and a number of events";
        }
    }
    return nullptr;
}

namespace {

em_pool_subpool_stats_selected_t only(const em_pool_subpool_stats_selected_t& of, em_pool_stats_opt_t which) noexcept {
    em_pool_subpool_stats_selected_t some{};
    some.available = which.available ? of.available : 0;
    some.alloc_ops = which.alloc_ops ? of.alloc_ops : 0;
    some.alloc_fails = which.alloc_fails ? of.alloc_fails : 0;
    some.free_ops = which.free_ops ? of.free_ops : 0;
    some.total_ops = which.total_ops ? of.total_ops : 0;
    some.cache_available = which.cache_available ? of.cache_available : 0;
    some.cache_alloc_ops = which.cache_alloc_ops ? of.cache_alloc_ops : 0;
    some.cache_free_ops = which.cache_free_ops ? of.cache_free_ops : 0;
    return some;
}

em_pool_subpool_stats_t with_internal(const em_pool_subpool_stats_selected_t& of) noexcept {
    em_pool_subpool_stats_t all{};
    all.available = of.available;
    all.alloc_ops = of.alloc_ops;
    all.alloc_fails = of.alloc_fails;
    all.free_ops = of.free_ops;
    all.total_ops = of.total_ops;
    all.cache_available = of.cache_available;
    all.cache_alloc_ops = of.cache_alloc_ops;
    all.cache_free_ops = of.cache_free_ops;
    return all;
}

// The pool shows these. False: it was said that it does not; `status` is what was made of it.
bool shows(const char* function, em_escope_t scope, const event_pool& p, const em_pool_stats_opt_t* which,
           em_status_t& status) noexcept {
    if (which == nullptr) {
        status = refuse_call(EM_ERR_BAD_POINTER, scope, "%s: a null pointer", function);
        return false;
    }
    if ((which->all & ~p.shown().all) != 0) {
        status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: pool '%s' does not show all of these counters", function,
                             p.name.data());
        return false;
    }
    return true;
}

// Calls f(i, number) for the subpools, up to the first that there is not, which was then told. `out`: where f writes.
// Returns how many there were.
template <class F>
int each_subpool(const char* function, em_escope_t scope, const event_pool& p, const int subpools[], int count,
                 const void* out, em_status_t& status, F&& f) noexcept {
    const int most = static_cast<int>(p.count());
    if (subpools == nullptr || out == nullptr || count < 1 || count > most) {
        status =
            refuse_call(EM_ERR_BAD_ARG, scope, "%s: %d subpools, of %d, or no table of them", function, count, most);
        return 0;
    }
    int i = 0;
    for (; i < count; ++i) {
        if (subpools[i] < 0 || subpools[i] >= most) {
            status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: pool '%s' has no subpool %d", function, p.name.data(),
                                 subpools[i]);
            break;
        }
        f(i, static_cast<unsigned>(subpools[i]));
    }
    return i;
}

em_pool_info_t info_of(event_pool& p) noexcept {
    em_pool_info_t info{};
    std::ranges::copy(p.name, info.name);
    info.em_pool = p.handle;
    info.event_type = p.type();
    info.align_offset = p.align_offset();
    info.user_area_size = p.user_area();
    info.num_subpools = static_cast<int>(p.count());
    const bool counts = p.shown().available || p.shown().cache_available;
    const event_pool::counters all = p.read();
    for (unsigned i = 0; i < p.count(); ++i) {
        auto& to = info.subpool[i];
        to.size = p.at(i).size;
        to.num = p.at(i).events;
        to.cache_size = p.at(i).cached;
        if (counts) {
            to.free = static_cast<std::uint32_t>(all[i].available + all[i].cache_available);
            to.used = to.num - to.free;
        }
    }
    return info;
}

constexpr auto any_pool = [](auto... given) { return with_pool(given...); };

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void em_pool_cfg_init(em_pool_cfg_t* const pool_cfg) {
    if (pool_cfg == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_POOL_CFG_INIT, "em_pool_cfg_init: a null pointer"));
        return;
    }
    *pool_cfg = em_pool_cfg_t{};
    pool_cfg->event_type = EM_EVENT_TYPE_SW;
    pool_cfg->num_subpools = 1;
    pool_cfg->subpool[0].size = 256;
    pool_cfg->subpool[0].num = 1024;
    for (auto& s : pool_cfg->subpool) {
        s.cache_size = 256;
    }
    pool_cfg->internal_check = initialised;
}

em_pool_t em_pool_create(const char* name, em_pool_t pool, const em_pool_cfg_t* pool_cfg) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_CREATE;
    std::size_t number = 0;
    static_cast<void>(with_machine("em_pool_create", scope, [&](event_machine& em) -> em_status_t {
        if (pool_cfg != nullptr && pool_cfg->event_type == EM_EVENT_TYPE_VECTOR) {
            return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "em_pool_create: vectors of events are not there yet");
        }
        if (const char* const wrong =
                pool_cfg != nullptr ? wrong_with(*pool_cfg) : "the configuration is a null pointer") {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_pool_create: %s", wrong);
        }
        number = em.add_pool(name, number_of(pool), *pool_cfg);
        return number != 0
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                 pool != EM_POOL_UNDEF ? "em_pool_create: the handle is no pool's (1 to %zu), or taken"
                                                       : "em_pool_create: there are %zu pools already",
                                 event_machine::most_pools);
    }));
    return handle_of<em_pool_t>(number);
}

em_status_t em_pool_delete(em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_DELETE;
    return with_machine("em_pool_delete", scope, [&](event_machine& em) -> em_status_t {
        const std::optional<std::size_t> used = em.remove_pool(pool);
        if (!used) {
            return refuse_no_pool("em_pool_delete", scope, pool);
        }
        return *used == 0
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_NOT_FREE, scope, "em_pool_delete: %zu events are in use or waited for", *used);
    });
}

// --- which there are ------------------------------------------------------------------------------------------------

em_pool_t em_pool_find(const char* name) {
    return find_named<em_pool_t>("em_pool_find", EM_ESCOPE_POOL_FIND, name, &event_machine::pools);
}

size_t em_pool_get_name(em_pool_t pool, char* name, size_t maxlen) {
    return name_of("em_pool_get_name", EM_ESCOPE_POOL_GET_NAME, pool, name, maxlen, any_pool);
}

em_pool_t em_pool_get_first(unsigned int* num) {
    return this_event_thread.at.pool =
               next_in("em_pool_get_first", EM_ESCOPE_POOL_GET_FIRST, EM_POOL_UNDEF, num, &event_machine::pools);
}

em_pool_t em_pool_get_next() {
    em_pool_t& at = this_event_thread.at.pool;
    const em_pool_t next = next_in("em_pool_get_next", EM_ESCOPE_POOL_GET_NEXT, at, nullptr, &event_machine::pools);
    return at = at == EM_POOL_UNDEF ? at : next;
}

em_status_t em_pool_info(em_pool_t pool, em_pool_info_t* pool_info) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_INFO;
    return with_pool("em_pool_info", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
        if (pool_info == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_pool_info: a null pointer");
        }
        *pool_info = info_of(p);
        return EM_OK;
    });
}

int em_pool_get_num_subpools(em_pool_t pool) {
    int count = -1;
    static_cast<void>(with_pool("em_pool_get_num_subpools", EM_ESCOPE_POOL_NUM_SUBPOOLS, pool,
                                [&](event_machine&, const event_pool& p) -> em_status_t {
                                    count = static_cast<int>(p.count());
                                    return EM_OK;
                                }));
    return count;
}

// --- counters -------------------------------------------------------------------------------------------------------

em_status_t em_pool_stats(em_pool_t pool, em_pool_stats_t* pool_stats) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_STATS;
    return with_pool("em_pool_stats", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
        if (pool_stats == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_pool_stats: a null pointer");
        }
        const event_pool::counters all = p.read();
        pool_stats->num_subpools = p.count();
        for (unsigned i = 0; i < p.count(); ++i) {
            pool_stats->subpool_stats[i] = with_internal(only(all[i], p.shown()));
        }
        return EM_OK;
    });
}

em_status_t em_pool_stats_reset(em_pool_t pool) {
    return with_pool("em_pool_stats_reset", EM_ESCOPE_POOL_STATS_RESET, pool,
                     [](event_machine&, event_pool& p) -> em_status_t {
                         for (unsigned i = 0; i < p.count(); ++i) {
                             p.reset(i);
                         }
                         return EM_OK;
                     });
}

int em_pool_subpool_stats(em_pool_t pool, const int subpools[], int num_subpools,
                          em_pool_subpool_stats_t subpool_stats[]) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_SUBPOOL_STATS;
    int read = 0;
    static_cast<void>(
        with_pool("em_pool_subpool_stats", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
            em_status_t status = EM_OK;
            const event_pool::counters all = p.read();
            read = each_subpool(
                "em_pool_subpool_stats", scope, p, subpools, num_subpools, subpool_stats, status,
                [&](int i, unsigned number) { subpool_stats[i] = with_internal(only(all[number], p.shown())); });
            return status;
        }));
    return read;
}

em_status_t em_pool_subpool_stats_reset(em_pool_t pool, const int subpools[], int num_subpools) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_SUBPOOL_STATS_RESET;
    return with_pool("em_pool_subpool_stats_reset", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
        em_status_t status = EM_OK;
        each_subpool("em_pool_subpool_stats_reset", scope, p, subpools, num_subpools, &p, status,
                     [&](int, unsigned number) { p.reset(number); });
        return status;
    });
}

em_status_t em_pool_stats_selected(em_pool_t pool, em_pool_stats_selected_t* pool_stats,
                                   const em_pool_stats_opt_t* opt) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_STATS_SELECTED;
    return with_pool("em_pool_stats_selected", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
        em_status_t status = EM_OK;
        if (!shows("em_pool_stats_selected", scope, p, pool_stats == nullptr ? nullptr : opt, status)) {
            return status;
        }
        const event_pool::counters all = p.read();
        pool_stats->num_subpools = p.count();
        for (unsigned i = 0; i < p.count(); ++i) {
            pool_stats->subpool_stats[i] = only(all[i], *opt);
        }
        return EM_OK;
    });
}

int em_pool_subpool_stats_selected(em_pool_t pool, const int subpools[], int num_subpools,
                                   em_pool_subpool_stats_selected_t subpool_stats[], const em_pool_stats_opt_t* opt) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_SUBPOOL_STATS_SELECTED;
    int read = 0;
    static_cast<void>(
        with_pool("em_pool_subpool_stats_selected", scope, pool, [&](event_machine&, event_pool& p) -> em_status_t {
            em_status_t status = EM_OK;
            if (!shows("em_pool_subpool_stats_selected", scope, p, opt, status)) {
                return status;
            }
            const event_pool::counters all = p.read();
            read = each_subpool("em_pool_subpool_stats_selected", scope, p, subpools, num_subpools, subpool_stats,
                                status, [&](int i, unsigned number) { subpool_stats[i] = only(all[number], *opt); });
            return status;
        }));
    return read;
}

uint64_t em_pool_to_u64(em_pool_t pool) { return reinterpret_cast<std::uintptr_t>(pool); }
