/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_EO_H_
#define EVENT_MACHINE_EO_H_

/* Execution objects: what receives the events of some queues.
 *
 * Created -> started -> (receives) -> stopped -> created. */

#include <event_machine/api/event_machine_error.h>

EM_BEGIN_DECLS

/* On a core, for one event. Constructs of Skerry work in it. What it has begun and not waited for is waited for when it
 * returns, before an atomic queue goes on. A wait runs tasks, and never an event. An exception that leaves it is an
 * error. */
typedef void (*em_receive_func_t)(void* eo_ctx, em_event_t event, em_event_type_t type, em_queue_t queue, void* q_ctx);

/* Once, before the first event. Not EM_OK: the object is not started. What it sends is sent when it has returned. */
typedef em_status_t (*em_start_func_t)(void* eo_ctx, em_eo_t eo, const em_eo_conf_t* conf);
typedef em_status_t (*em_start_local_func_t)(void* eo_ctx, em_eo_t eo);
/* Once, behind the last event. */
typedef em_status_t (*em_stop_func_t)(void* eo_ctx, em_eo_t eo);
typedef em_status_t (*em_stop_local_func_t)(void* eo_ctx, em_eo_t eo);

/* `local_start`, `local_stop`: null. EM_EO_UNDEF: an error. */
EM_API em_eo_t em_eo_create(const char* name, em_start_func_t start, em_start_local_func_t local_start,
                            em_stop_func_t stop, em_stop_local_func_t local_stop, em_receive_func_t receive,
                            const void* eo_ctx);
/* Precondition: stopped, and without queues. */
EM_API em_status_t em_eo_delete(em_eo_t eo);

/* The notifications are sent when what the function does is over; `sync`: it returns when it is over. Those that wait
 * for other cores are errors in a receive function. */
EM_API em_status_t em_eo_add_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_add_queue_sync(em_eo_t eo, em_queue_t queue);
/* Over when no core receives from the queue any more. Events that lie in it are freed. */
EM_API em_status_t em_eo_remove_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_remove_queue_sync(em_eo_t eo, em_queue_t queue);

/* `result` may be null, and else is what the start function returned. */
EM_API em_status_t em_eo_start(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf, int num_notif,
                               const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_start_sync(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf);
/* Over when the last receive function has returned, and then the stop function. Events that lie in the
 * object's queues are freed. */
EM_API em_status_t em_eo_stop(em_eo_t eo, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_stop_sync(em_eo_t eo);
EM_API em_eo_state_t em_eo_get_state(em_eo_t eo);

EM_API em_status_t em_eo_register_error_handler(em_eo_t eo, em_error_handler_t handler);
EM_API em_status_t em_eo_unregister_error_handler(em_eo_t eo);

EM_END_DECLS

#endif
