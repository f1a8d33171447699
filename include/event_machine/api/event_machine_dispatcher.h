/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_DISPATCHER_H_
#define EVENT_MACHINE_DISPATCHER_H_

/* The loop of a core. Each round receives what is chosen at once, of one queue, and then what that has sent to local
 * queues. A core without events runs tasks of other cores, and sleeps.
 *
 * Precondition of all that dispatch: the calling thread is a core, and in no receive function, task or run(). */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* Any of them together: the first that is met ends the call. */
typedef enum {
    EM_DISPATCH_DURATION_FOREVER = 0,
    EM_DISPATCH_DURATION_ROUNDS = 1,
    EM_DISPATCH_DURATION_NS = 2,
    EM_DISPATCH_DURATION_EVENTS = 4,
    EM_DISPATCH_DURATION_NO_EVENTS_ROUNDS = 8, /* one after another without an event */
    EM_DISPATCH_DURATION_NO_EVENTS_NS = 16,
    EM_DISPATCH_DURATION_LAST
} em_dispatch_duration_select_t;

/* What is selected is not 0. */
typedef struct {
    em_dispatch_duration_select_t select;
    uint64_t rounds;
    uint64_t ns;
    uint64_t events; /* at least */
    struct {
        uint64_t rounds;
        uint64_t ns;
    } no_events;
} em_dispatch_duration_t;

typedef struct {
    uint64_t wait_ns;        /* how long a round waits for an event, if rounds are selected; 0 */
    uint16_t burst_size;     /* events of a round at most; EM_SCHED_MULTI_MAX_BURST */
    bool skip_input_poll;    /* em_conf_t::input; false */
    bool skip_output_drain;  /* em_conf_t::output; false */
    bool sched_pause;        /* changes nothing: a core that does not dispatch keeps no event; false */
    uint32_t internal_check; /* em_dispatch_opt_init() was called */
} em_dispatch_opt_t;

typedef struct {
    uint64_t rounds;
    uint64_t ns; /* if a time is selected */
    uint64_t events;
} em_dispatch_results_t;

EM_API void em_dispatch_opt_init(em_dispatch_opt_t* opt);

/* `opt` and `results` may be null. */
EM_API em_status_t em_dispatch_duration(const em_dispatch_duration_t* duration, const em_dispatch_opt_t* opt,
                                        em_dispatch_results_t* results);
EM_API em_status_t em_dispatch_ns(uint64_t ns, const em_dispatch_opt_t* opt, em_dispatch_results_t* results);
EM_API em_status_t em_dispatch_events(uint64_t events, const em_dispatch_opt_t* opt, em_dispatch_results_t* results);
EM_API em_status_t em_dispatch_rounds(uint64_t rounds, const em_dispatch_opt_t* opt, em_dispatch_results_t* results);

/* So many rounds with events, or until there was none for 10 ms; 0: for ever. Returns how many events. */
EM_API uint64_t em_dispatch(uint64_t rounds);

/* Called before a receive function, and able to change what that gets. An event that it replaces by EM_EVENT_UNDEF, or
 * by another one, is its own. If none is left, what follows is left out, but for exit callbacks. */
typedef void (*em_dispatch_enter_func_t)(em_eo_t eo, void** eo_ctx, em_event_t events[], int num, em_queue_t* queue,
                                         void** q_ctx);
/* Called behind a receive function. */
typedef void (*em_dispatch_exit_func_t)(em_eo_t eo);

/* At most EM_CALLBACKS_MAX of each kind, called in this order; what is registered twice is called twice. */
EM_API em_status_t em_dispatch_register_enter_cb(em_dispatch_enter_func_t func);
EM_API em_status_t em_dispatch_unregister_enter_cb(em_dispatch_enter_func_t func);
EM_API em_status_t em_dispatch_register_exit_cb(em_dispatch_exit_func_t func);
EM_API em_status_t em_dispatch_unregister_exit_cb(em_dispatch_exit_func_t func);

EM_END_DECLS

#endif
