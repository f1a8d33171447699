/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_QUEUE_H_
#define EVENT_MACHINE_QUEUE_H_

/* Between events and what receives them. Among queues with events, one of the highest priority is chosen; equal ones
 * take turns. Of one sender, each queue keeps the order.
 *
 *   scheduled    EM_QUEUE_TYPE_ATOMIC, _PARALLEL, _PARALLEL_ORDERED: cores of the queue group receive
 *   unscheduled  em_queue_dequeue() takes events out
 *   local        the core that sends receives, behind the receive function that has sent and before the next scheduled
 *                event, in the context of that function
 *   output       a function of the program is called with what is sent
 *
 * Ordered: each event has a place among those of its queue. What its receive function sends, on whichever thread, goes
 * to each target behind all that the events before it have sent. So a late function keeps back what is sent behind it,
 * and no core. What it sends to local queues is not ordered. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `prio`: 0 to EM_QUEUE_PRIO_NUM - 1; of an unscheduled queue EM_QUEUE_PRIO_UNDEF, of local and output queues either.
 * `group`: of scheduled queues; of others EM_QUEUE_GROUP_UNDEF. `conf` may be null, except of an output queue.
 * EM_QUEUE_UNDEF: an error. */
EM_API em_queue_t em_queue_create(const char* name, em_queue_type_t type, em_queue_prio_t prio, em_queue_group_t group,
                                  const em_queue_conf_t* conf);
/* The same with a handle from EM_QUEUE_STATIC_MIN to EM_QUEUE_STATIC_MAX. */
EM_API em_status_t em_queue_create_static(const char* name, em_queue_type_t type, em_queue_prio_t prio,
                                          em_queue_group_t group, em_queue_t queue, const em_queue_conf_t* conf);
/* What lies in it is freed. Precondition: it belongs to no execution object, and no thread is in its output function.
 */
EM_API em_status_t em_queue_delete(em_queue_t queue);

/* A pointer for the program, which receive functions get. */
EM_API em_status_t em_queue_set_context(em_queue_t queue, const void* context);
EM_API void* em_queue_get_context(em_queue_t queue);

/* As many characters as `maxlen` has room for with the end; returns how many. */
EM_API size_t em_queue_get_name(em_queue_t queue, char* name, size_t maxlen);
/* The first of that name; EM_QUEUE_UNDEF: there is none. Time: as many queues as there are. */
EM_API em_queue_t em_queue_find(const char* name);
EM_API em_queue_prio_t em_queue_get_priority(em_queue_t queue); /* EM_QUEUE_PRIO_UNDEF: an error, or it has none */
EM_API em_queue_type_t em_queue_get_type(em_queue_t queue);     /* EM_QUEUE_TYPE_UNDEF: an error */
EM_API em_queue_group_t em_queue_get_group(em_queue_t queue);   /* EM_QUEUE_GROUP_UNDEF: an error, or it has none */

/* Of an unscheduled queue. EM_EVENT_UNDEF: it is empty, or an error. */
EM_API em_event_t em_queue_dequeue(em_queue_t queue);
/* At most `num`; returns how many. */
EM_API int em_queue_dequeue_multi(em_queue_t queue, em_event_t events[], int num);

/* Whose event the calling thread receives; EM_QUEUE_UNDEF: of none. */
EM_API em_queue_t em_queue_current(void);

/* All queues, one call after another on one thread. `num` may be null, and else gets how many there are. */
EM_API em_queue_t em_queue_get_first(unsigned int* num);
EM_API em_queue_t em_queue_get_next(void);

/* From 0 to EM_MAX_QUEUES - 1. Negative: an error. */
EM_API int em_queue_get_index(em_queue_t queue);
/* EM_QUEUE_PRIO_NUM, and so is *num_runtime, if that is not null. */
EM_API int em_queue_get_num_prio(int* num_runtime);

EM_END_DECLS

#endif
