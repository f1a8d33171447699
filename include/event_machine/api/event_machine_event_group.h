/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_EVENT_GROUP_H_
#define EVENT_MACHINE_EVENT_GROUP_H_

/* Event groups: a fork and a join of events. A group counts the receive functions of its events, and sends
 * notifications when the last one has returned.
 *
 * Created -> applied: under way -> (its last event is done with, or it is aborted) -> applied again, or deleted.
 *
 * What is sent to a group after its count is complete, or was sent before it was aborted and applied again, counts for
 * no group: the receive function gets the event without one, behind an error EM_ERR_BAD_ID. A group that waits for an
 * event that was freed in its queue waits until it is aborted. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* At most EM_MAX_EVENT_GROUPS. EM_EVENT_GROUP_UNDEF: an error. */
EM_API em_event_group_t em_event_group_create(void);
/* Precondition: it is not under way. */
EM_API em_status_t em_event_group_delete(em_event_group_t event_group);

/* It waits for `count` events, from 1, and sends the notifications then; at most EM_EVENT_GROUP_MAX_NOTIF. Each of them
 * may count for another group. Precondition: it is not under way. When a notification is received, it no longer is. */
EM_API em_status_t em_event_group_apply(em_event_group_t event_group, int count, int num_notif,
                                        const em_notif_t notif_tbl[]);
/* The current group waits for that many more. */
EM_API em_status_t em_event_group_increment(int count);
/* EM_TRUE: it may be applied. */
EM_API int em_event_group_is_ready(em_event_group_t event_group);

/* For which the calling receive function counts, or EM_EVENT_GROUP_UNDEF. Not for tasks that the function has begun.
 * Events that it sends by em_send() count for none. */
EM_API em_event_group_t em_event_group_current(void);

/* As em_send(); the event's receive function counts for the group. Not for unscheduled queues. EM_EVENT_GROUP_UNDEF: it
 * counts for none. */
EM_API em_status_t em_send_group(em_event_t event, em_queue_t queue, em_event_group_t event_group);
/* How many were sent, in the order of the table; the others are still the caller's. */
EM_API int em_send_group_multi(const em_event_t events[], int num, em_queue_t queue, em_event_group_t event_group);

/* In a receive function: it no longer counts as running, as if it had returned. Without a current group nothing
 * happens. */
EM_API void em_event_group_processing_end(void);
/* In a receive function without a group: it counts for that one, which waits for it or one of its events less. */
EM_API em_status_t em_event_group_assign(em_event_group_t event_group);

/* The group waits no longer. EM_OK: its notifications are not sent, and are the caller's (em_event_group_get_notif()).
 * Else the group was complete before. */
EM_API em_status_t em_event_group_abort(em_event_group_t event_group);
/* How many it has written; 0: the group is not under way. They may be sent at any time, unless em_event_group_abort()
 * says that they will not. */
EM_API int em_event_group_get_notif(em_event_group_t event_group, int max_notif, em_notif_t notif_tbl[]);

/* All groups, in turn; of each calling thread. `num`, if not null: how many there are. */
EM_API em_event_group_t em_event_group_get_first(unsigned int* num);
EM_API em_event_group_t em_event_group_get_next(void);

EM_END_DECLS

#endif
