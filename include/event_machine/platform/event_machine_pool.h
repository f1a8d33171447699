/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_POOL_H_
#define EVENT_MACHINE_POOL_H_

/* Where events are taken from. A pool has events of up to four sizes; its memory is taken when it is created. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

typedef struct {
    em_event_type_t event_type; /* EM_EVENT_TYPE_SW or EM_EVENT_TYPE_PACKET */
    int num_subpools;           /* 1 to EM_MAX_SUBPOOLS */
    struct {
        uint32_t size;       /* bytes of an event, from 1 */
        uint32_t num;        /* events, from 1 */
        uint32_t cache_size; /* not used: there are no caches yet */
    } subpool[EM_MAX_SUBPOOLS];
    uint32_t internal_check; /* em_pool_cfg_init() was called */
} em_pool_cfg_t;

/* Defaults: 1,024 events of 256 bytes. */
EM_API void em_pool_cfg_init(em_pool_cfg_t* const pool_cfg);

/* `pool`: EM_POOL_UNDEF, or the handle that it shall have. EM_POOL_UNDEF: an error. At most 16 pools. */
EM_API em_pool_t em_pool_create(const char* name, em_pool_t pool, const em_pool_cfg_t* pool_cfg);

/* EM_ERR_NOT_FREE: events of it are in use. */
EM_API em_status_t em_pool_delete(em_pool_t pool);

EM_END_DECLS

#endif
