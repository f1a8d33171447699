/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKERRY_EVENT_H_
#define SKERRY_EVENT_H_

/* What Skerry adds to the event machine (event_machine.h): options, a wait for a free event, and receive functions that
 * wait. For C11 and C++20.
 *
 * Thread safety and errors: as event_machine.h. */

#include <event_machine.h>

EM_BEGIN_DECLS

#define SKERRY_ESCOPE_EM_OPTIONS_INIT (EM_ESCOPE_INTERNAL_MASK | 0x5301)
#define SKERRY_ESCOPE_EM_CONFIGURE (EM_ESCOPE_INTERNAL_MASK | 0x5302)
#define SKERRY_ESCOPE_EM_ALLOC_WAIT (EM_ESCOPE_INTERNAL_MASK | 0x5303)
#define SKERRY_ESCOPE_EM_SUSPEND (EM_ESCOPE_INTERNAL_MASK | 0x5304)
#define SKERRY_ESCOPE_EM_RESUME (EM_ESCOPE_INTERNAL_MASK | 0x5305)

/* Each member has a variable of the environment: SKERRY_EM_ and its name in capitals. */
typedef struct {
    int esv;          /* not 0: events are verified. A use of an event by one that it does not belong to is an
                       * error, EM_ERR_EVENT_STATE, that names the last call for the event; default: 0 */
    int asynchronous; /* not 0: a core's next event is chosen at em_preschedule(), and not first when its receive
                       * function has returned; default: 0 */
    int cooperative;  /* not 0: co-operative dispatch: receive functions may call skerry_em_suspend(). Not together
                       * with asynchronous; default: 0 */
    unsigned suspended_max; /* of co-operative dispatch: how many receive functions are suspended at a time; at most
                             * 1,000,000; default: 1,024 */
    unsigned starvation;    /* how often cores choose a higher priority while a lower one is ready; 0: any number of
                             * times; at most 10^9; default: 256 */
    size_t stack_size;      /* of co-operative dispatch: bytes of each stack on which a core calls the functions of the
                             * program, 16 K to 64 G; default: 256 K */
    uint64_t poll_ns;       /* between two calls of input_poll_fn by a core without events, 1,000 to 10^10; default:
                             * 10^5 */
} skerry_em_options_t;

/* The defaults, and what the environment says. A variable that is not understood is an error, and its member keeps the
 * default. */
EM_API void skerry_em_options_init(skerry_em_options_t* options);

/* The options of each em_init() from now on. Without it they are those of skerry_em_options_init(), and a variable that
 * is not understood is an error of em_init(). EM_ERR_BAD_STATE: em_init() was called, and em_term() was not. */
EM_API em_status_t skerry_em_configure(const skerry_em_options_t* options);

/* As em_alloc(), but waits until an event is free: at most `timeout_ns`, UINT64_MAX for ever. EM_EVENT_UNDEF: an error,
 * EM_ERR_TIMEOUT, or EM_ERR_CANCELED if em_term() was called meanwhile, or one of em_alloc(). The wait uses no
 * processor. Precondition: the calling thread is no core. */
EM_API em_event_t skerry_em_alloc_wait(uint32_t size, em_event_type_t type, em_pool_t pool, uint64_t timeout_ns);

/* Co-operative dispatch: the calling receive function waits until somebody resumes it, and its core receives other
 * events meanwhile. What it has received is still its own. It keeps its stack, the exceptions that it handles, and its
 * context: the atomic queue or group, its place in an order, the event group. It goes on on the same thread, inside of
 * em_dispatch() or a function that waits for other cores, before events that are ready for the core and have the
 * priority of its queue. Masks, stops, removals and em_term_core() wait for it as for one that runs.
 *
 * EM_ERR_BAD_STATE: the option is off. EM_ERR_BAD_CONTEXT: outside of a receive function; inside of a task or another
 * construct of Skerry, but for the part of a fork or a loop that ends last, if the core itself runs it; with tasks that
 * it has begun and that have not ended; in a function for several events; or em_dispatch() was called inside of a
 * construct. EM_ERR_ALLOC_FAILED: suspended_max are, or there is no memory for a stack. EM_ERR_EVENT_STATE, with
 * verification: the event is not the function's any more. If that was so before, it has not waited; else somebody has
 * sent or freed it meanwhile.
 *
 * Time: without a switch of stacks if it was resumed ahead, else that of two. Source: co-operative dispatch of OpenEM.
 */
EM_API em_status_t skerry_em_suspend(void);

/* The receive function that has received the event, by the handle that it got, goes on from skerry_em_suspend(). If it
 * has not called that yet, the next call returns at once; when it returns without one, this is forgotten. Any thread,
 * also the core itself. With several that are suspended for one handle (the event was sent on meanwhile, which
 * verification finds) the first one goes on.
 *
 * EM_ERR_BAD_STATE: it was resumed before and has not gone on, or the option is off. EM_ERR_NOT_FOUND: no receive
 * function that runs or is suspended has received the event. */
EM_API em_status_t skerry_em_resume(em_event_t event);

EM_END_DECLS

#endif
