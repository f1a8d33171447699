/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_SCHEDULER_H_
#define EVENT_MACHINE_SCHEDULER_H_

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* In a receive function for an event of an atomic queue: what follows needs the queue for itself no longer, and another
 * core may receive the next event at once. Elsewhere it does nothing. */
EM_API void em_atomic_processing_end(void);

/* In a receive function for an event of an ordered queue: what was sent keeps its place, and what follows has none.
 * Elsewhere it does nothing. */
EM_API void em_ordered_processing_end(void);

/* In a receive function, with the asynchronous scheduler: the core's next event is chosen now, and bound to it. The
 * synchronous scheduler chooses when the receive function has returned. */
EM_API void em_preschedule(void);

/* What the calling core holds. `queue` may be null, and else gets the scheduled queue whose context it is in: in a
 * receive function for an event of a local queue that of who has sent it. */
EM_API em_sched_context_type_t em_sched_context_type_current(em_queue_t* queue);

EM_END_DECLS

#endif
