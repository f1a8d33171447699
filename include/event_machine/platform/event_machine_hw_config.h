/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HW_CONFIG_H_
#define EVENT_MACHINE_HW_CONFIG_H_

/* Limits, and the handles that always exist. */

#include <event_machine/platform/event_machine_config.h>

#define EM_MAX_CORES 64
#define EM_QUEUE_PRIO_NUM 8

/* Bytes of a name that are kept, the end included. */
#define EM_POOL_NAME_LEN 32
#define EM_QUEUE_GROUP_NAME_LEN 32

#define EM_POOL_DEFAULT EM_REINTERPRET_CAST(em_pool_t, 1)
#define EM_POOL_DEFAULT_NAME "default"

/* Handles that a program may choose for its queues; other queues have greater ones. */
#define EM_QUEUE_RANGE_OFFSET 1
#define EM_QUEUE_STATIC_MIN EM_STATIC_CAST(uint16_t, 1)
#define EM_QUEUE_STATIC_MAX EM_STATIC_CAST(uint16_t, 0xFF)
#define EM_QUEUE_STATIC_NUM 0xFF

#define EM_MAX_QUEUE_GROUPS (EM_MAX_CORES + 64)
/* The queue group of all cores. */
#define EM_QUEUE_GROUP_DEFAULT EM_REINTERPRET_CAST(em_queue_group_t, EM_MAX_QUEUE_GROUPS)
#define EM_QUEUE_GROUP_DEFAULT_NAME "default"

/* Events that a core receives at once at most, of any queue and of one in an atomic group. */
#define EM_SCHED_MULTI_MAX_BURST 32
#define EM_SCHED_AG_MULTI_MAX_BURST 32
/* What max_events is if it is given as 0. */
#define EM_EO_MULTIRCV_MAX_EVENTS 32

#endif
