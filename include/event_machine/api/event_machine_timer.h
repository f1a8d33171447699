/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_TIMER_H_
#define EVENT_MACHINE_TIMER_H_

/* Timers send events at a time, once or again and again. em_conf_t::event_timer must be 1.
 *
 * A timeout belongs to a timer and to a queue. Created: idle -> set: active, the event is the timer's -> (expired: the
 * event is sent; or cancelled: the event is the caller's again). A one-shot timeout is idle then. A periodic one waits
 * for em_tmo_ack(), which gives it the next event; without that nothing more comes.
 *
 * A cancel and an expiry have one outcome: the canceller has the event, or the queue gets it.
 *
 * A tick is a nanosecond of the monotonic clock, for every timer. One thread sleeps until the next timeout of all; it
 * begins with the first timer and ends in em_term(). If a queue is full, the event comes when there is room. If nobody
 * receives from it then, the event is freed, and that is an error.
 *
 * Timer rings are not there yet: their functions answer EM_ERR_NOT_IMPLEMENTED. */

#include <event_machine/platform/event_machine_timer_hw_specific.h>

EM_BEGIN_DECLS

typedef enum em_tmo_state_t {
    EM_TMO_STATE_UNKNOWN = 0,
    EM_TMO_STATE_IDLE = 1,    /* created, cancelled, or one-shot and expired */
    EM_TMO_STATE_ACTIVE = 2,  /* it waits for its time, or for em_tmo_ack() */
    EM_TMO_STATE_INACTIVE = 3 /* not used */
} em_tmo_state_t;

typedef enum em_tmo_type_t { EM_TMO_TYPE_NONE = 0, EM_TMO_TYPE_ONESHOT = 1, EM_TMO_TYPE_PERIODIC = 2 } em_tmo_type_t;

typedef uint64_t em_timer_tick_t;

typedef struct em_fract_u64_t {
    uint64_t integer;
    uint64_t numer;
    uint64_t denom;
} em_fract_u64_t;

typedef struct em_timer_res_param_t {
    em_timer_clksrc_t clk_src;
    uint64_t res_ns; /* to create a timer: either this or the next is 0 */
    uint64_t res_hz;
    uint64_t min_tmo; /* ns, as below */
    uint64_t max_tmo;
} em_timer_res_param_t;

typedef struct em_timer_ring_param_t {
    em_timer_clksrc_t clk_src;
    em_fract_u64_t base_hz;
    uint64_t max_mul;
    uint64_t res_ns;
} em_timer_ring_param_t;

typedef struct em_timer_attr_t {
    em_timer_res_param_t resparam; /* what the timer shall be able to do */
    uint32_t num_tmo;              /* timeouts at a time, from 1 */
    em_timer_flag_t flags;
    char name[EM_TIMER_NAME_LEN];
    em_timer_ring_param_t ringparam; /* not used */
    uint32_t internal_check;         /* em_timer_attr_init() was called */
} em_timer_attr_t;

typedef struct em_tmo_stats_t {
    uint64_t num_acks;
    uint64_t num_late_ack;     /* those behind the next period's end */
    uint64_t num_period_skips; /* periods that were left out therefore */
} em_tmo_stats_t;

typedef struct em_timer_capability_t {
    uint32_t max_timers;
    uint32_t max_num_tmo;         /* 0: as many as there is memory for */
    em_timer_res_param_t max_res; /* the finest resolution */
    em_timer_res_param_t max_tmo; /* the longest timeout */
    struct {                      /* all 0 */
        uint32_t max_rings;
        uint32_t max_num_tmo;
        em_fract_u64_t min_base_hz;
        em_fract_u64_t max_base_hz;
    } ring;
} em_timer_capability_t;

typedef struct em_tmo_args_t {
    void* userptr; /* for rings */
} em_tmo_args_t;

/* --- Timers. These four call no handler of errors. --- */

EM_API void em_timer_attr_init(em_timer_attr_t* tmr_attr);
/* EM_ERR_NOT_SUPPORTED: another clock than EM_TIMER_CLKSRC_DEFAULT. */
EM_API em_status_t em_timer_capability(em_timer_capability_t* capa, em_timer_clksrc_t clk_src);
/* Of res_ns and max_tmo one is what is needed, and the other 0: the rest is filled in. EM_ERR_NOT_SUPPORTED: finer or
 * longer than can be. */
EM_API em_status_t em_timer_res_capability(em_timer_res_param_t* res, em_timer_clksrc_t clk_src);
EM_API em_status_t em_timer_ring_capability(em_timer_ring_param_t* ring);

/* EM_TIMER_UNDEF: an error. */
EM_API em_timer_t em_timer_create(const em_timer_attr_t* tmr_attr);
/* Precondition: its timeouts are deleted. */
EM_API em_status_t em_timer_delete(em_timer_t tmr);

EM_API em_timer_tick_t em_timer_current_tick(em_timer_t tmr);
EM_API uint64_t em_timer_get_freq(em_timer_t tmr);
EM_API uint64_t em_timer_tick_to_ns(em_timer_t tmr, em_timer_tick_t ticks);
EM_API em_timer_tick_t em_timer_ns_to_tick(em_timer_t tmr, uint64_t ns);
EM_API em_status_t em_timer_get_attr(em_timer_t tmr, em_timer_attr_t* tmr_attr);
/* How many there are; it writes at most `max`, and none if the list is null. */
EM_API int em_timer_get_all(em_timer_t* tmr_list, int max);
EM_API uint64_t em_timer_to_u64(em_timer_t timer);

/* --- Timeouts --- */

/* `queue`: atomic, parallel or parallel-ordered. EM_TMO_UNDEF: an error. */
EM_API em_tmo_t em_tmo_create(em_timer_t tmr, em_tmo_flag_t flags, em_queue_t queue);
/* `args` is for rings, and may be null. */
EM_API em_tmo_t em_tmo_create_arg(em_timer_t tmr, em_tmo_flag_t flags, em_queue_t queue, em_tmo_args_t* args);
/* `cur_event`: of an active timeout, which is cancelled; else EM_EVENT_UNDEF. An event that was sent is received. */
EM_API em_status_t em_tmo_delete(em_tmo_t tmo, em_event_t* cur_event);

/* One-shot. The event is the timer's if it is EM_OK, and else the caller's. EM_ERR_TOONEAR, without a call of the
 * handler: the time is over, or within a microsecond. EM_ERR_TOOFAR: beyond max_tmo. An active timeout is not set
 * again: EM_ERR_BAD_STATE. */
EM_API em_status_t em_tmo_set_abs(em_tmo_t tmo, em_timer_tick_t ticks_abs, em_event_t tmo_ev);
EM_API em_status_t em_tmo_set_rel(em_tmo_t tmo, em_timer_tick_t ticks_rel, em_event_t tmo_ev);
/* Periodic; as above. `start_abs`: when the first one is due; 0: a period from now. */
EM_API em_status_t em_tmo_set_periodic(em_tmo_t tmo, em_timer_tick_t start_abs, em_timer_tick_t period,
                                       em_event_t tmo_ev);

/* EM_ERR_TOONEAR, without a call of the handler: it has expired, and the event comes; of a periodic timeout that was
 * the last one. */
EM_API em_status_t em_tmo_cancel(em_tmo_t tmo, em_event_t* cur_event);
/* Behind the receipt of a periodic timeout's event: the next one is due a period behind the last one's time. Periods
 * that are over are left out, or with EM_TMO_FLAG_NOSKIP made up for. EM_ERR_CANCELED, without a call of the handler:
 * nothing more comes. The event is the timer's if it is EM_OK, and else the caller's. */
EM_API em_status_t em_tmo_ack(em_tmo_t tmo, em_event_t next_tmo_ev);

EM_API em_tmo_state_t em_tmo_get_state(em_tmo_t tmo);
/* `stat` may be null. */
EM_API em_status_t em_tmo_get_stats(em_tmo_t tmo, em_tmo_stats_t* stat);
/* What a timer has sent the event for, and by which timeout (`tmo` may be null); until the event is freed, cancelled or
 * set again, or until `reset`. */
EM_API em_tmo_type_t em_tmo_get_type(em_event_t event, em_tmo_t* tmo, bool reset);
EM_API em_timer_t em_tmo_get_timer(em_tmo_t tmo);
EM_API uint64_t em_tmo_to_u64(em_tmo_t tmo);

/* --- Timer rings: not there yet. The first calls no handler. --- */

EM_API em_status_t em_timer_ring_attr_init(em_timer_attr_t* ring_attr, em_timer_clksrc_t clk_src, uint64_t base_hz,
                                           uint64_t max_mul, uint64_t res_ns);
EM_API em_timer_t em_timer_ring_create(const em_timer_attr_t* ring_attr);
EM_API em_status_t em_tmo_set_periodic_ring(em_tmo_t tmo, em_timer_tick_t start_abs, uint64_t multiplier,
                                            em_event_t tmo_ev);
/* Null: no event is a ring's. */
EM_API void* em_tmo_get_userptr(em_event_t event, em_tmo_t* tmo);

EM_END_DECLS

#endif
