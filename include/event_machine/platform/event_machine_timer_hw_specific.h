/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_TIMER_HW_SPECIFIC_H_
#define EVENT_MACHINE_TIMER_HW_SPECIFIC_H_

/* Handles and flags of timers. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_HANDLE_T(em_timer_t);
#define EM_TIMER_UNDEF EM_STATIC_CAST(em_timer_t, EM_HDL_UNDEF)
#define PRI_TMR PRI_HDL

EM_HANDLE_T(em_tmo_t);
#define EM_TMO_UNDEF EM_STATIC_CAST(em_tmo_t, EM_HDL_UNDEF)
#define PRI_TMO PRI_HDL

typedef enum em_timer_flag_t {
    EM_TIMER_FLAG_NONE = 0,
    EM_TIMER_FLAG_PRIVATE = 1, /* of one thread; no difference here */
    EM_TIMER_FLAG_RING = 2     /* not there yet */
} em_timer_flag_t;
#define EM_TIMER_FLAG_DEFAULT EM_TIMER_FLAG_NONE

typedef enum em_tmo_flag_t {
    EM_TMO_FLAG_ONESHOT = 1,
    EM_TMO_FLAG_PERIODIC = 2,
    EM_TMO_FLAG_NOSKIP = 4 /* with EM_TMO_FLAG_PERIODIC: em_tmo_ack() leaves out no period that is over */
} em_tmo_flag_t;
#define EM_TMO_FLAG_DEFAULT EM_TMO_FLAG_ONESHOT

/* There is one clock: the first. */
typedef enum em_timer_clksrc_t {
    EM_TIMER_CLKSRC_0,
    EM_TIMER_CLKSRC_1,
    EM_TIMER_CLKSRC_2,
    EM_TIMER_CLKSRC_3,
    EM_TIMER_CLKSRC_4,
    EM_TIMER_CLKSRC_5,
    EM_TIMER_NUM_CLKSRC
} em_timer_clksrc_t;
#define EM_TIMER_CLKSRC_DEFAULT EM_TIMER_CLKSRC_0
#define EM_TIMER_CLKSRC_CPU EM_TIMER_CLKSRC_0
#define EM_TIMER_CLKSRC_EXT EM_TIMER_CLKSRC_2

/* Bytes of a name that are kept, the end included. */
#define EM_TIMER_NAME_LEN 16

#endif
