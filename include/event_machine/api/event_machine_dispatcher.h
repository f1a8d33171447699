/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_DISPATCHER_H_
#define EVENT_MACHINE_DISPATCHER_H_

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* Receives events on this core: `rounds` times those that are chosen at once, of one queue. 0: for ever. A core without
 * events runs tasks of other cores, and sleeps. With `rounds`, it returns when it has found no event for 10 ms.
 * Precondition: the calling thread is a core, and in no receive function, task or run(). */
EM_API em_status_t em_dispatch(uint64_t rounds);

EM_END_DECLS

#endif
