/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_SCHEDULER_H_
#define EVENT_MACHINE_SCHEDULER_H_

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* In a receive function for an event of an atomic queue: what follows needs the queue for itself no longer, and another
 * core may receive the next event at once. Elsewhere it does nothing. */
EM_API void em_atomic_processing_end(void);

EM_END_DECLS

#endif
