/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HW_TYPES_H_
#define EVENT_MACHINE_HW_TYPES_H_

/* Types of events and queues, masks of cores, errors. */

#include <event_machine/api/event_machine_types.h>
#include <event_machine/platform/event_machine_hw_config.h>

EM_HANDLE_T(em_pool_t);
#define EM_POOL_UNDEF EM_STATIC_CAST(em_pool_t, EM_HDL_UNDEF)
#define PRI_POOL PRI_HDL

/* Sizes of events that one pool may have. */
#define EM_MAX_SUBPOOLS 4

typedef enum em_event_type_major_e {
    EM_EVENT_TYPE_UNDEF = 0,
    EM_EVENT_TYPE_SW = 1 << 24,
    EM_EVENT_TYPE_PACKET = 2 << 24,
    EM_EVENT_TYPE_TIMER = 3 << 24,
    EM_EVENT_TYPE_CRYPTO = 4 << 24,
    EM_EVENT_TYPE_VECTOR = 5 << 24,   /* not there yet, nor is the one below */
    EM_EVENT_TYPE_TIMER_IND = 6 << 24 /* of a timer ring, without payload; em_alloc() makes none */
} em_event_type_major_e;

typedef enum em_event_type_sw_minor_e { EM_EVENT_TYPE_SW_DEFAULT = 0 } em_event_type_sw_minor_e;

typedef enum em_queue_type_e {
    EM_QUEUE_TYPE_UNDEF = 0,
    EM_QUEUE_TYPE_ATOMIC = 1,           /* one event at a time, in the order in which they were sent */
    EM_QUEUE_TYPE_PARALLEL = 2,         /* any number at a time */
    EM_QUEUE_TYPE_PARALLEL_ORDERED = 3, /* so, too; what is sent of them goes in the order of what was received */
    EM_QUEUE_TYPE_UNSCHEDULED = 4,      /* the program takes events out */
    EM_QUEUE_TYPE_LOCAL = 5,            /* for each core one, received behind the receive function that sends */
    EM_QUEUE_TYPE_OUTPUT = 6            /* a function of the program takes the events when they are sent */
} em_queue_type_e;

typedef enum em_queue_prio_e {
    EM_QUEUE_PRIO_LOWEST = 0,
    EM_QUEUE_PRIO_LOW = 2,
    EM_QUEUE_PRIO_NORMAL = 4,
    EM_QUEUE_PRIO_HIGH = 6,
    EM_QUEUE_PRIO_HIGHEST = 7
} em_queue_prio_e;
#define EM_QUEUE_PRIO_UNDEF 0xFF

#define EM_QUEUE_FLAG_DEFAULT 0
#define EM_QUEUE_FLAG_BLOCKING 0
#define EM_QUEUE_FLAG_NONBLOCKING_LF 1
#define EM_QUEUE_FLAG_NONBLOCKING_WF 2
#define EM_QUEUE_FLAG_ENQ_NOT_MTSAFE 4
#define EM_QUEUE_FLAG_DEQ_NOT_MTSAFE 8

/* Takes events that were sent to an output queue, and returns how many, from the first on. What it does not take of an
 * ordered context it is offered again. Several threads may be in it, but not for what is sent in one order. It may not
 * throw. */
typedef int (*em_output_func_t)(const em_event_t events[], const unsigned int num, const em_queue_t output_queue,
                                void* output_fn_args);

/* What `conf` of an em_queue_conf_t points to, for a queue of type EM_QUEUE_TYPE_OUTPUT. */
typedef struct {
    em_output_func_t output_fn;
    void* output_fn_args;
    size_t args_len; /* so many bytes of what output_fn_args points to are copied; 0: the pointer is handed on */
} em_output_queue_conf_t;

/* Bit i: core i. The functions are in event_machine_hw_specific.h. */
typedef struct {
    uint64_t bits;
} em_core_mask_t;

/* Bytes of a mask as text, the end included. */
#define EM_CORE_MASK_STRLEN ((EM_MAX_CORES + 3) / 4 + 3)

typedef enum em_status_e {
    EM_ERR_BAD_ARG = 1,
    EM_ERR_BAD_STATE = 2,
    EM_ERR_BAD_ID = 3,
    EM_ERR_BAD_TYPE = 4,
    EM_ERR_BAD_CONTEXT = 5,
    EM_ERR_BAD_POINTER = 6,
    EM_ERR_NOT_CREATED = 7,
    EM_ERR_NOT_FREE = 8,
    EM_ERR_NOT_FOUND = 9,
    EM_ERR_NOT_INITIALIZED = 10,
    EM_ERR_NOT_IMPLEMENTED = 11, /* what was asked for is not there yet */
    EM_ERR_NOT_SUPPORTED = 12,   /* and will not be */
    EM_ERR_ALLOC_FAILED = 13,
    EM_ERR_OPERATION_FAILED = 14,
    EM_ERR_LIB_FAILED = 15,
    EM_ERR_TOO_LARGE = 16,
    EM_ERR_TOO_SMALL = 17,
    EM_ERR_EVENT_STATE = 18,
    EM_ERR_TIMEOUT = 19,
    EM_ERR_TOONEAR = 20,
    EM_ERR_TOOFAR = 21,
    EM_ERR_CANCELED = 22,
    EM_ERR
} em_status_e;

typedef enum { EM_LOG_DBG, EM_LOG_PRINT, EM_LOG_ERR } em_log_level_t;

/* What the event machine has to say, as of printf(). */
typedef int (*em_log_func_t)(em_log_level_t level, const char* fmt, ...) __attribute__((__format__(printf, 2, 3)));
typedef int (*em_vlog_func_t)(em_log_level_t level, const char* fmt, va_list args);

/* On a core in em_dispatch(): the first makes events of what has come from outside, the second sends out what the
 * program has kept back. Both return how many events. Calls by others are none of the event machine's. */
typedef int (*em_input_poll_func_t)(void);
typedef int (*em_output_drain_func_t)(void);

/* An error handler that returns an error with this bit ends the process. */
#define EM_ERROR_FATAL_MASK 0x80000000
#define EM_ERROR_IS_FATAL(error) (!!(EM_ERROR_FATAL_MASK & (error)))
#define EM_ERROR_SET_FATAL(error) (EM_ERROR_FATAL_MASK | (error))
#define EM_FATAL(error) EM_ERROR_SET_FATAL((error))

#define EM_ESCOPE_INTERNAL_TYPE (0xFEu)
#define EM_ESCOPE_INTERNAL_MASK (EM_ESCOPE_BIT | (EM_ESCOPE_INTERNAL_TYPE << 24))
#define EM_ESCOPE_INTERNAL(escope) (((escope) & EM_ESCOPE_MASK) == EM_ESCOPE_INTERNAL_MASK)
#define EM_ESCOPE_CONF_INIT (EM_ESCOPE_INTERNAL_MASK | 0x0001)
#define EM_ESCOPE_INIT (EM_ESCOPE_INTERNAL_MASK | 0x0002)
#define EM_ESCOPE_INIT_CORE (EM_ESCOPE_INTERNAL_MASK | 0x0003)
#define EM_ESCOPE_TERM (EM_ESCOPE_INTERNAL_MASK | 0x0004)
#define EM_ESCOPE_TERM_CORE (EM_ESCOPE_INTERNAL_MASK | 0x0005)
#define EM_ESCOPE_POOL_CFG_INIT (EM_ESCOPE_INTERNAL_MASK | 0x0101)
#define EM_ESCOPE_POOL_CREATE (EM_ESCOPE_INTERNAL_MASK | 0x0102)
#define EM_ESCOPE_POOL_DELETE (EM_ESCOPE_INTERNAL_MASK | 0x0103)
#define EM_ESCOPE_POOL_FIND (EM_ESCOPE_INTERNAL_MASK | 0x0104)
#define EM_ESCOPE_POOL_GET_NAME (EM_ESCOPE_INTERNAL_MASK | 0x0105)
#define EM_ESCOPE_POOL_GET_FIRST (EM_ESCOPE_INTERNAL_MASK | 0x0106)
#define EM_ESCOPE_POOL_GET_NEXT (EM_ESCOPE_INTERNAL_MASK | 0x0107)
#define EM_ESCOPE_POOL_INFO (EM_ESCOPE_INTERNAL_MASK | 0x0108)
#define EM_ESCOPE_POOL_STATS (EM_ESCOPE_INTERNAL_MASK | 0x0109)
#define EM_ESCOPE_POOL_STATS_RESET (EM_ESCOPE_INTERNAL_MASK | 0x010A)
#define EM_ESCOPE_POOL_SUBPOOL_STATS (EM_ESCOPE_INTERNAL_MASK | 0x010B)
#define EM_ESCOPE_POOL_SUBPOOL_STATS_RESET (EM_ESCOPE_INTERNAL_MASK | 0x010C)
#define EM_ESCOPE_POOL_STATS_SELECTED (EM_ESCOPE_INTERNAL_MASK | 0x010D)
#define EM_ESCOPE_POOL_SUBPOOL_STATS_SELECTED (EM_ESCOPE_INTERNAL_MASK | 0x010E)
#define EM_ESCOPE_POOL_NUM_SUBPOOLS (EM_ESCOPE_INTERNAL_MASK | 0x010F)
#define EM_ESCOPE_HOOKS_REGISTER_ALLOC (EM_ESCOPE_INTERNAL_MASK | 0x0201)
#define EM_ESCOPE_HOOKS_UNREGISTER_ALLOC (EM_ESCOPE_INTERNAL_MASK | 0x0202)
#define EM_ESCOPE_HOOKS_REGISTER_FREE (EM_ESCOPE_INTERNAL_MASK | 0x0203)
#define EM_ESCOPE_HOOKS_UNREGISTER_FREE (EM_ESCOPE_INTERNAL_MASK | 0x0204)
#define EM_ESCOPE_HOOKS_REGISTER_SEND (EM_ESCOPE_INTERNAL_MASK | 0x0205)
#define EM_ESCOPE_HOOKS_UNREGISTER_SEND (EM_ESCOPE_INTERNAL_MASK | 0x0206)
#define EM_ESCOPE_HOOKS_REGISTER_TO_IDLE (EM_ESCOPE_INTERNAL_MASK | 0x0207)
#define EM_ESCOPE_HOOKS_UNREGISTER_TO_IDLE (EM_ESCOPE_INTERNAL_MASK | 0x0208)
#define EM_ESCOPE_HOOKS_REGISTER_TO_ACTIVE (EM_ESCOPE_INTERNAL_MASK | 0x0209)
#define EM_ESCOPE_HOOKS_UNREGISTER_TO_ACTIVE (EM_ESCOPE_INTERNAL_MASK | 0x020A)
#define EM_ESCOPE_HOOKS_REGISTER_WHILE_IDLE (EM_ESCOPE_INTERNAL_MASK | 0x020B)
#define EM_ESCOPE_HOOKS_UNREGISTER_WHILE_IDLE (EM_ESCOPE_INTERNAL_MASK | 0x020C)
#define EM_ESCOPE_EVENT_GROUP_UPDATE (EM_ESCOPE_INTERNAL_MASK | 0x0501)

#endif
