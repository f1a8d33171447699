/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HW_CONFIG_H_
#define EVENT_MACHINE_HW_CONFIG_H_

/* Limits, and the handles that always exist. */

#include <event_machine/platform/event_machine_config.h>

#define EM_MAX_CORES 64
#define EM_QUEUE_PRIO_NUM 8

/* Bytes of a name that are kept, the end included. */
#define EM_POOL_NAME_LEN 32
#define EM_QUEUE_NAME_LEN 32
#define EM_EO_NAME_LEN 32

#define EM_POOL_DEFAULT EM_REINTERPRET_CAST(em_pool_t, 1)
#define EM_POOL_DEFAULT_NAME "default"

/* The queue group of all cores, and the only one. */
#define EM_QUEUE_GROUP_DEFAULT EM_REINTERPRET_CAST(em_queue_group_t, 128)
#define EM_QUEUE_GROUP_DEFAULT_NAME "default"

#endif
