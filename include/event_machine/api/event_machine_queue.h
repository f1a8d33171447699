/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_QUEUE_H_
#define EVENT_MACHINE_QUEUE_H_

/* Between events and what receives them. Among queues with events, one of the highest priority is chosen; equal ones
 * take turns. Of one sender, each queue keeps the order. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `type`: EM_QUEUE_TYPE_ATOMIC or EM_QUEUE_TYPE_PARALLEL. `group`: EM_QUEUE_GROUP_DEFAULT. `conf` may be null.
 * EM_QUEUE_UNDEF: an error. */
EM_API em_queue_t em_queue_create(const char* name, em_queue_type_t type, em_queue_prio_t prio, em_queue_group_t group,
                                  const em_queue_conf_t* conf);
/* Precondition: it belongs to no execution object. */
EM_API em_status_t em_queue_delete(em_queue_t queue);

/* A pointer for the program, which receive functions get. */
EM_API em_status_t em_queue_set_context(em_queue_t queue, const void* context);
EM_API void* em_queue_get_context(em_queue_t queue);

EM_END_DECLS

#endif
