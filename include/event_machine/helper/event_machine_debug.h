/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_DEBUG_H_
#define EVENT_MACHINE_DEBUG_H_

/* When a core last looked for an event. event_machine.h does not include it. */

#include <event_machine/platform/event_machine_config.h>

#include <stdint.h>

EM_BEGIN_DECLS

typedef enum {
    EM_DEBUG_TSP_SCHED_ENTRY,  /* it asked for one */
    EM_DEBUG_TSP_SCHED_RETURN, /* it had the answer */
    EM_DEBUG_TSP_LAST
} em_debug_tsp_t;

/* Of the calling core, in nanoseconds of the monotonic clock; 0: there is no such point, or it has not come there. The
 * first call of the process since em_init() has the cores take these times from now on; nobody pays for them before. */
EM_API uint64_t em_debug_timestamp(em_debug_tsp_t tsp);

EM_END_DECLS

#endif
