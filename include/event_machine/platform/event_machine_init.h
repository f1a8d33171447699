/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_INIT_H_
#define EVENT_MACHINE_INIT_H_

/* The beginning and the end. One thread calls em_init(). Then each thread that shall be a core calls em_init_core(),
 * and em_term_core() at its end; then one calls em_term(). A core has a place in the default runtime meanwhile, so
 * every construct of Skerry works in receive functions. More cores than CPUs work; no thread is pinned. */

#include <event_machine/platform/event_machine_hooks.h>
#include <event_machine/platform/event_machine_pool.h>

EM_BEGIN_DECLS

typedef struct {
    uint16_t device_id;             /* 0 */
    int event_timer;                /* 1: em_timer_create() works; default: 0 */
    int thread_per_core;            /* 1 */
    int process_per_core;           /* 0 */
    int core_count;                 /* 1 to EM_MAX_CORES */
    em_core_mask_t phys_mask;       /* of as many cores; which they are does not count */
    em_pool_cfg_t default_pool_cfg; /* of EM_POOL_DEFAULT */
    struct {                        /* null: the standard streams. Both or none; the first is called */
        em_log_func_t log_fn;
        em_vlog_func_t vlog_fn;
    } log;
    struct {
        em_input_poll_func_t input_poll_fn; /* called in each round of a core; null: none */
        em_core_mask_t input_poll_mask;     /* by these cores; empty: by all */
    } input;
    struct {
        em_output_drain_func_t output_drain_fn; /* called at the end of each round, and before a core sleeps */
        em_core_mask_t output_drain_mask;
    } output;
    em_api_hooks_t api_hooks; /* null: none */
    em_idle_hooks_t idle_hooks;
    uint32_t internal_check; /* em_conf_init() was called */
} em_conf_t;

EM_API void em_conf_init(em_conf_t* conf);
EM_API em_status_t em_init(const em_conf_t* conf);
EM_API em_status_t em_init_core(void);
EM_API em_status_t em_term_core(void);
/* Frees what is left: events, queues, execution objects, pools. `conf` is not looked at. */
EM_API em_status_t em_term(const em_conf_t* conf);

/* What em_init() was told: 0. */
EM_API uint16_t em_device_id(void);

EM_END_DECLS

#endif
