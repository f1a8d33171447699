/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_QUEUE_GROUP_H_
#define EVENT_MACHINE_QUEUE_GROUP_H_

/* Which cores receive from a queue. EM_QUEUE_GROUP_DEFAULT has all. A group without a core keeps the events of its
 * queues until it has one. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `mask`: of cores from 0 to em_core_count() - 1. The group is there when the function returns, and then the
 * notifications are sent. EM_QUEUE_GROUP_UNDEF: an error. */
EM_API em_queue_group_t em_queue_group_create(const char* name, const em_core_mask_t* mask, int num_notif,
                                              const em_notif_t notif_tbl[]);
EM_API em_queue_group_t em_queue_group_create_sync(const char* name, const em_core_mask_t* mask);

/* Precondition: no queue and no atomic group is of it. */
EM_API em_status_t em_queue_group_delete(em_queue_group_t queue_group, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_queue_group_delete_sync(em_queue_group_t queue_group);

/* At once no other core takes an event. It is over when those that receive one have left their receive functions: then
 * em_queue_group_get_mask() gives the new mask and the notifications are sent. `sync`: an error in a receive function.
 */
EM_API em_status_t em_queue_group_modify(em_queue_group_t queue_group, const em_core_mask_t* new_mask, int num_notif,
                                         const em_notif_t notif_tbl[]);
EM_API em_status_t em_queue_group_modify_sync(em_queue_group_t queue_group, const em_core_mask_t* new_mask);

/* The first of that name; EM_QUEUE_GROUP_UNDEF: there is none. */
EM_API em_queue_group_t em_queue_group_find(const char* name);
EM_API em_status_t em_queue_group_get_mask(em_queue_group_t queue_group, em_core_mask_t* mask);
EM_API size_t em_queue_group_get_name(em_queue_group_t queue_group, char* name, size_t maxlen);

/* All groups, and all queues of a group, as em_queue_get_first() has it. */
EM_API em_queue_group_t em_queue_group_get_first(unsigned int* num);
EM_API em_queue_group_t em_queue_group_get_next(void);
EM_API em_queue_t em_queue_group_queue_get_first(unsigned int* num, em_queue_group_t queue_group);
EM_API em_queue_t em_queue_group_queue_get_next(void);

EM_END_DECLS

#endif
