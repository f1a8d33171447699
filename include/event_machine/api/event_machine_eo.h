/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_EO_H_
#define EVENT_MACHINE_EO_H_

/* Execution objects: what receives the events of some queues.
 *
 * Created -> starting -> running (receives) -> stopping -> created. */

#include <event_machine/api/event_machine_error.h>

EM_BEGIN_DECLS

/* On a core, for one event. Constructs of Skerry work in it. What it has begun and not waited for is waited for when it
 * returns, before an atomic queue goes on. A wait runs tasks, and never an event. An exception that leaves it is an
 * error. */
typedef void (*em_receive_func_t)(void* eo_ctx, em_event_t event, em_event_type_t type, em_queue_t queue, void* q_ctx);
/* The same for 1 to `max_events` of one queue. */
typedef void (*em_receive_multi_func_t)(void* eo_ctx, em_event_t events[], int num, em_queue_t queue, void* q_ctx);

/* Once, before the first event. Not EM_OK: the object is not started. What start functions send to scheduled queues is
 * sent when the last of them has returned, in that order. */
typedef em_status_t (*em_start_func_t)(void* eo_ctx, em_eo_t eo, const em_eo_conf_t* conf);
/* Behind that, on each core that is inside: in its dispatch, or while it waits in a function `sync`. A core that comes
 * later runs it in its first dispatch. Not EM_OK: as above; of a core that comes later it is reported, and all goes on.
 */
typedef em_status_t (*em_start_local_func_t)(void* eo_ctx, em_eo_t eo);
/* Once, behind the last event and all local stop functions. */
typedef em_status_t (*em_stop_func_t)(void* eo_ctx, em_eo_t eo);
/* Behind the last event, on each core inside that has started. A core that leaves runs none. */
typedef em_status_t (*em_stop_local_func_t)(void* eo_ctx, em_eo_t eo);

/* The local functions may be null. EM_EO_UNDEF: an error. */
EM_API em_eo_t em_eo_create(const char* name, em_start_func_t start, em_start_local_func_t local_start,
                            em_stop_func_t stop, em_stop_local_func_t local_stop, em_receive_func_t receive,
                            const void* eo_ctx);

typedef struct {
    em_start_func_t start;
    em_start_local_func_t local_start; /* may be null */
    em_stop_func_t stop;
    em_stop_local_func_t local_stop; /* may be null */
    em_receive_multi_func_t receive_multi;
    int max_events; /* 0: EM_EO_MULTIRCV_MAX_EVENTS */
    const void* eo_ctx;
    uint32_t internal_check; /* em_eo_multircv_param_init() was called */
} em_eo_multircv_param_t;

EM_API void em_eo_multircv_param_init(em_eo_multircv_param_t* param);
EM_API em_eo_t em_eo_create_multircv(const char* name, const em_eo_multircv_param_t* param);

/* Precondition: stopped, and without queues. */
EM_API em_status_t em_eo_delete(em_eo_t eo);

EM_API size_t em_eo_get_name(em_eo_t eo, char* name, size_t maxlen);
/* The first of that name; EM_EO_UNDEF: there is none. */
EM_API em_eo_t em_eo_find(const char* name);

/* The notifications are sent when what the function does is over; `sync`: it returns when it is over. Those that wait
 * for other cores are errors in a receive function. */
EM_API em_status_t em_eo_add_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_add_queue_sync(em_eo_t eo, em_queue_t queue);
/* Over when no core receives from the queue any more. Events that lie in it are freed. */
EM_API em_status_t em_eo_remove_queue(em_eo_t eo, em_queue_t queue, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_remove_queue_sync(em_eo_t eo, em_queue_t queue);
/* The same for all queues of the object, which `delete_queues` deletes, too. */
EM_API em_status_t em_eo_remove_queue_all(em_eo_t eo, int delete_queues, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_remove_queue_all_sync(em_eo_t eo, int delete_queues);

EM_API em_status_t em_eo_register_error_handler(em_eo_t eo, em_error_handler_t handler);
EM_API em_status_t em_eo_unregister_error_handler(em_eo_t eo);

/* `result` may be null, and else is what the start function returned. Over when the last start function has returned.
 * If a local one has failed, the notifications are sent, too, and em_eo_get_state() says EM_EO_STATE_CREATED. */
EM_API em_status_t em_eo_start(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf, int num_notif,
                               const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_start_sync(em_eo_t eo, em_status_t* result, const em_eo_conf_t* conf);
/* Over when the last receive function has returned, and then the stop functions. Events that lie in the object's queues
 * are freed. */
EM_API em_status_t em_eo_stop(em_eo_t eo, int num_notif, const em_notif_t notif_tbl[]);
EM_API em_status_t em_eo_stop_sync(em_eo_t eo);

/* Whose function the calling thread runs; EM_EO_UNDEF: of none. */
EM_API em_eo_t em_eo_current(void);
EM_API void* em_eo_get_context(em_eo_t eo);
EM_API em_eo_state_t em_eo_get_state(em_eo_t eo);

/* All objects, and all queues of an object, as em_queue_get_first() has it. */
EM_API em_eo_t em_eo_get_first(unsigned int* num);
EM_API em_eo_t em_eo_get_next(void);
EM_API em_queue_t em_eo_queue_get_first(unsigned int* num, em_eo_t eo);
EM_API em_queue_t em_eo_queue_get_next(void);

EM_END_DECLS

#endif
