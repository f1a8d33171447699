/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HOOKS_H_
#define EVENT_MACHINE_HOOKS_H_

/* Hooks: functions of the program that are called when events are allocated, freed and sent, and when a core goes idle.
 * Up to EM_CALLBACKS_MAX of each kind, called in the order of registration, as often as they were registered. Nobody
 * pays for a kind that has none.
 *
 * A hook looks on: it leaves the events as they are, calls no function that would call it again, and throws nothing.
 * Several threads may call one at the same time. A thread that had begun to call the hooks of a kind may call one that
 * is being unregistered. em_term() unregisters all. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* Behind an allocation of `num_act` events, from 1, of `num_req` that were asked for. */
typedef void (*em_api_hook_alloc_t)(const em_event_t events[], int num_act, int num_req, uint32_t size,
                                    em_event_type_t type, em_pool_t pool);
/* Before events are freed. */
typedef void (*em_api_hook_free_t)(const em_event_t events[], int num);
/* Before events are sent, which may still fail. What a start function sends is sent when it has returned. */
typedef void (*em_api_hook_send_t)(const em_event_t events[], int num, em_queue_t queue, em_event_group_t event_group);

/* On a core in em_dispatch(). It was active and finds no event: `to_idle_delay_ns` is how long it had looked for one
 * before, which is 0, since a core looks once before it is idle. */
typedef void (*em_idle_hook_to_idle_t)(uint64_t to_idle_delay_ns);
/* It was idle and has found an event; before the receive function. */
typedef void (*em_idle_hook_to_active_t)(void);
/* It was idle, has looked again, and is still. A core that sleeps does not look. */
typedef void (*em_idle_hook_while_idle_t)(void);

/* For em_conf_t: hooks from the beginning on, or null. */
typedef struct {
    em_api_hook_alloc_t alloc_hook;
    em_api_hook_free_t free_hook;
    em_api_hook_send_t send_hook;
} em_api_hooks_t;

typedef struct {
    em_idle_hook_to_idle_t to_idle_hook;
    em_idle_hook_to_active_t to_active_hook;
    em_idle_hook_while_idle_t while_idle_hook;
} em_idle_hooks_t;

/* EM_ERR_ALLOC_FAILED: there are EM_CALLBACKS_MAX. */
EM_API em_status_t em_hooks_register_alloc(em_api_hook_alloc_t func);
EM_API em_status_t em_hooks_register_free(em_api_hook_free_t func);
EM_API em_status_t em_hooks_register_send(em_api_hook_send_t func);
EM_API em_status_t em_hooks_register_to_idle(em_idle_hook_to_idle_t func);
EM_API em_status_t em_hooks_register_to_active(em_idle_hook_to_active_t func);
EM_API em_status_t em_hooks_register_while_idle(em_idle_hook_while_idle_t func);

/* One registration of it, the first. EM_ERR_NOT_FOUND: there is none. */
EM_API em_status_t em_hooks_unregister_alloc(em_api_hook_alloc_t func);
EM_API em_status_t em_hooks_unregister_free(em_api_hook_free_t func);
EM_API em_status_t em_hooks_unregister_send(em_api_hook_send_t func);
EM_API em_status_t em_hooks_unregister_to_idle(em_idle_hook_to_idle_t func);
EM_API em_status_t em_hooks_unregister_to_active(em_idle_hook_to_active_t func);
EM_API em_status_t em_hooks_unregister_while_idle(em_idle_hook_while_idle_t func);

EM_END_DECLS

#endif
