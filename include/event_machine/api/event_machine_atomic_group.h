/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_ATOMIC_GROUP_H_
#define EVENT_MACHINE_ATOMIC_GROUP_H_

/* Several atomic queues, from which one core receives at a time, those of higher priority first. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `queue_group`: of all its queues. EM_ATOMIC_GROUP_UNDEF: an error. */
EM_API em_atomic_group_t em_atomic_group_create(const char* name, em_queue_group_t queue_group);
/* Precondition: its queues have been deleted. */
EM_API em_status_t em_atomic_group_delete(em_atomic_group_t atomic_group);

/* As em_queue_create() and em_queue_create_static(), of type EM_QUEUE_TYPE_ATOMIC. */
EM_API em_queue_t em_queue_create_ag(const char* name, em_queue_prio_t prio, em_atomic_group_t atomic_group,
                                     const em_queue_conf_t* conf);
EM_API em_status_t em_queue_create_static_ag(const char* name, em_queue_prio_t prio, em_atomic_group_t atomic_group,
                                             em_queue_t queue, const em_queue_conf_t* conf);

/* EM_ATOMIC_GROUP_UNDEF: the queue is in none, or an error. */
EM_API em_atomic_group_t em_atomic_group_get(em_queue_t queue);
EM_API size_t em_atomic_group_get_name(em_atomic_group_t atomic_group, char* name, size_t maxlen);
/* The first of that name; EM_ATOMIC_GROUP_UNDEF: there is none. */
EM_API em_atomic_group_t em_atomic_group_find(const char* name);

/* All groups, and all queues of a group, as em_queue_get_first() has it. */
EM_API em_atomic_group_t em_atomic_group_get_first(unsigned int* num);
EM_API em_atomic_group_t em_atomic_group_get_next(void);
EM_API em_queue_t em_atomic_group_queue_get_first(unsigned int* num, em_atomic_group_t atomic_group);
EM_API em_queue_t em_atomic_group_queue_get_next(void);

EM_END_DECLS

#endif
