/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_POOL_H_
#define EVENT_MACHINE_POOL_H_

/* Where events are taken from. A pool has events of up to four sizes, its subpools; its memory is taken when it is
 * created. In front of each subpool, each core has a cache. What a core frees goes to its cache, and when that is full,
 * some go back together. A pool without a free event of its own takes those in the caches: em_alloc() fails only if no
 * event is free in either. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* Which counters a pool shows; the others are 0. */
typedef union {
    __extension__ struct {
        uint64_t available : 1;
        uint64_t alloc_ops : 1;
        uint64_t alloc_fails : 1;
        uint64_t free_ops : 1;
        uint64_t total_ops : 1;
        uint64_t cache_available : 1;
        uint64_t cache_alloc_ops : 1;
        uint64_t cache_free_ops : 1;
    };
    uint64_t all;
} em_pool_stats_opt_t;

/* A part with `in_use` takes the default unless that is true. */
typedef struct {
    em_event_type_t event_type; /* EM_EVENT_TYPE_SW or EM_EVENT_TYPE_PACKET; default: the former */
    struct {
        bool in_use;
        uint32_t value; /* 0, 2, 4 or 8: the payload begins as many bytes before a multiple of 64; default: 0 */
    } align_offset;
    struct {
        bool in_use;
        size_t size; /* bytes of each event's user area, at most 65,536; default: 0 */
    } user_area;
    struct {
        struct {
            bool in_use;
            uint32_t value; /* bytes before a new packet's payload, at least, and at most 65,536; default: 128 */
        } headroom;
    } pkt;            /* of EM_EVENT_TYPE_PACKET */
    int num_subpools; /* 1 to EM_MAX_SUBPOOLS; default: 1 */
    struct {
        uint32_t size;       /* bytes of an event, from 1; default: 256 */
        uint32_t num;        /* events, from 1; default: 1,024 */
        uint32_t cache_size; /* events in a core's cache, at most; 0: no cache; default: 256. The caches of all cores
                              * together get at most half of the events, and em_pool_info() says how many that is. */
    } subpool[EM_MAX_SUBPOOLS];
    struct {
        bool in_use;
        em_pool_stats_opt_t opt; /* default: none */
    } stats_opt;
    uint32_t internal_check; /* em_pool_cfg_init() was called */
} em_pool_cfg_t;

/* Subpools are in the order of their sizes. */
typedef struct {
    char name[EM_POOL_NAME_LEN];
    em_pool_t em_pool;
    em_event_type_t event_type;
    uint32_t align_offset;
    size_t user_area_size;
    int num_subpools;
    struct {
        uint32_t size;
        uint32_t num;
        uint32_t cache_size;
        uint32_t used; /* these two only if the pool shows `available` or `cache_available`; else 0 */
        uint32_t free;
    } subpool[EM_MAX_SUBPOOLS];
} em_pool_info_t;

#define EM_POOL_SUBPOOL_STAT_INTERNAL 129

/* An event that is allocated counts once: in the subpool it is of, under alloc_ops if it came from there, under
 * cache_alloc_ops if it came from the core's cache. One that is not free counts in the subpool that it would fit best,
 * under alloc_ops and alloc_fails. What cores' caches give back together counts once. */
typedef struct {
    uint64_t available;       /* free, and in no cache */
    uint64_t alloc_ops;       /* events taken, or not found */
    uint64_t alloc_fails;     /* events not found */
    uint64_t free_ops;        /* times that events were given back: one by threads that are no cores, some by a cache */
    uint64_t total_ops;       /* both: alloc_ops and free_ops */
    uint64_t cache_available; /* free in all caches */
    uint64_t cache_alloc_ops; /* events taken from caches by their cores */
    uint64_t cache_free_ops;  /* events given to caches */
    uint64_t internal_use[EM_POOL_SUBPOOL_STAT_INTERNAL]; /* 0 */
} em_pool_subpool_stats_t;

typedef struct {
    uint32_t num_subpools;
    em_pool_subpool_stats_t subpool_stats[EM_MAX_SUBPOOLS];
} em_pool_stats_t;

/* The same without what is for nobody. */
typedef struct {
    uint64_t available;
    uint64_t alloc_ops;
    uint64_t alloc_fails;
    uint64_t free_ops;
    uint64_t total_ops;
    uint64_t cache_available;
    uint64_t cache_alloc_ops;
    uint64_t cache_free_ops;
} em_pool_subpool_stats_selected_t;

typedef struct {
    uint32_t num_subpools;
    em_pool_subpool_stats_selected_t subpool_stats[EM_MAX_SUBPOOLS];
} em_pool_stats_selected_t;

EM_API void em_pool_cfg_init(em_pool_cfg_t* const pool_cfg);

/* `pool`: EM_POOL_UNDEF, or the handle that it shall have. EM_POOL_UNDEF: an error. At most 16 pools. */
EM_API em_pool_t em_pool_create(const char* name, em_pool_t pool, const em_pool_cfg_t* pool_cfg);

/* EM_ERR_NOT_FREE: events of it are in use, or somebody waits for one. */
EM_API em_status_t em_pool_delete(em_pool_t pool);

/* One of that name; EM_POOL_UNDEF: there is none, or no name. */
EM_API em_pool_t em_pool_find(const char* name);
/* As much of it as there is room for, its end included. Returns its length without the end. */
EM_API size_t em_pool_get_name(em_pool_t pool, char* name, size_t maxlen);

/* Each pool once, in no order; EM_POOL_UNDEF: no more. Each thread has a walk of its own. `num`, which may be null: how
 * many there are now. */
EM_API em_pool_t em_pool_get_first(unsigned int* num);
EM_API em_pool_t em_pool_get_next(void);

EM_API em_status_t em_pool_info(em_pool_t pool, em_pool_info_t* pool_info);
/* To standard output, as the other functions that print. */
EM_API void em_pool_info_print(em_pool_t pool);
EM_API void em_pool_info_print_all(void);
/* -1: an error. */
EM_API int em_pool_get_num_subpools(em_pool_t pool);

/* The counters of one moment. O(cores). To reset leaves `available` and `cache_available` alone. */
EM_API em_status_t em_pool_stats(em_pool_t pool, em_pool_stats_t* pool_stats);
EM_API em_status_t em_pool_stats_reset(em_pool_t pool);
EM_API void em_pool_stats_print(em_pool_t pool);

/* Of single subpools: subpool_stats[i] is for subpools[i]. Return how many were written; the first number that is no
 * subpool's is an error. */
EM_API int em_pool_subpool_stats(em_pool_t pool, const int subpools[], int num_subpools,
                                 em_pool_subpool_stats_t subpool_stats[]);
EM_API em_status_t em_pool_subpool_stats_reset(em_pool_t pool, const int subpools[], int num_subpools);
EM_API void em_pool_subpool_stats_print(em_pool_t pool, const int subpools[], int num_subpools);

/* Only the counters that `opt` says, which the pool must show; the others are 0. */
EM_API em_status_t em_pool_stats_selected(em_pool_t pool, em_pool_stats_selected_t* pool_stats,
                                          const em_pool_stats_opt_t* opt);
EM_API void em_pool_stats_selected_print(em_pool_t pool, const em_pool_stats_opt_t* opt);
EM_API int em_pool_subpool_stats_selected(em_pool_t pool, const int subpools[], int num_subpools,
                                          em_pool_subpool_stats_selected_t subpool_stats[],
                                          const em_pool_stats_opt_t* opt);
EM_API void em_pool_subpool_stats_selected_print(em_pool_t pool, const int subpools[], int num_subpools,
                                                 const em_pool_stats_opt_t* opt);

/* To be printed. */
EM_API uint64_t em_pool_to_u64(em_pool_t pool);

EM_END_DECLS

#endif
