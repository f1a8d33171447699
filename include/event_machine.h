/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_H_
#define EVENT_MACHINE_H_

/* The Open Event Machine: events are sent to queues, and what a queue receives runs on whichever core has chosen it.
 * For C11 and C++20. Names, types and values are those of em-odp 3.8; functions that are not there answer
 * EM_ERR_NOT_IMPLEMENTED; those for ODP are not declared. The page docs/guide/event-machine.md lists them.
 *
 * Thread safety: every function may be called by any thread at the same time, unless it says otherwise.
 *
 * Errors: a function that fails calls the error handler (event_machine_error.h) and returns what the handler does.
 *
 * Source: TI, "Open Event Machine", a white paper on OpenEM; the API of em-odp. */

#include <event_machine/api/event_machine_atomic_group.h>
#include <event_machine/api/event_machine_core.h>
#include <event_machine/api/event_machine_dispatcher.h>
#include <event_machine/api/event_machine_eo.h>
#include <event_machine/api/event_machine_error.h>
#include <event_machine/api/event_machine_event.h>
#include <event_machine/api/event_machine_event_group.h>
#include <event_machine/api/event_machine_packet.h>
#include <event_machine/api/event_machine_queue.h>
#include <event_machine/api/event_machine_queue_group.h>
#include <event_machine/api/event_machine_scheduler.h>
#include <event_machine/api/event_machine_timer.h>
#include <event_machine/api/event_machine_types.h>
#include <event_machine/api/event_machine_version.h>
#include <event_machine/platform/event_machine_hooks.h>
#include <event_machine/platform/event_machine_hw_config.h>
#include <event_machine/platform/event_machine_hw_specific.h>
#include <event_machine/platform/event_machine_hw_types.h>
#include <event_machine/platform/event_machine_init.h>
#include <event_machine/platform/event_machine_pool.h>
#include <event_machine/platform/event_machine_timer_hw_specific.h>

#endif
