/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_TYPES_H_
#define EVENT_MACHINE_TYPES_H_

/* Handles, states, and the scopes that errors name. */

#include <event_machine/platform/event_machine_config.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EM_TRUE 1
#define EM_FALSE 0

EM_HANDLE_T(em_event_t);
#define EM_EVENT_UNDEF EM_STATIC_CAST(em_event_t, EM_HDL_UNDEF)
#define PRI_EVENT PRI_HDL

EM_HANDLE_T(em_eo_t);
#define EM_EO_UNDEF EM_STATIC_CAST(em_eo_t, EM_HDL_UNDEF)
#define PRI_EO PRI_HDL

EM_HANDLE_T(em_queue_t);
#define EM_QUEUE_UNDEF EM_STATIC_CAST(em_queue_t, EM_HDL_UNDEF)
#define PRI_QUEUE PRI_HDL

EM_HANDLE_T(em_queue_group_t);
#define EM_QUEUE_GROUP_UNDEF EM_STATIC_CAST(em_queue_group_t, EM_HDL_UNDEF)
#define PRI_QGRP PRI_HDL

EM_HANDLE_T(em_event_group_t);
#define EM_EVENT_GROUP_UNDEF EM_STATIC_CAST(em_event_group_t, EM_HDL_UNDEF)
#define PRI_EGRP PRI_HDL

/* The highest byte is the major type (em_event_type_major_e), the rest is the program's. */
typedef uint32_t em_event_type_t;
typedef uint32_t em_queue_type_t; /* em_queue_type_e */
typedef uint32_t em_queue_prio_t; /* em_queue_prio_e, or any number below EM_QUEUE_PRIO_NUM; greater goes first */
typedef uint32_t em_queue_flag_t;
#define PRI_QTYPE PRIu32
#define PRI_QPRIO PRIu32
#define EM_QUEUE_FLAG_MASK 0x0000FFFF

/* Of a queue. */
typedef struct {
    em_queue_flag_t flags;   /* EM_QUEUE_FLAG_DEFAULT */
    unsigned int min_events; /* how many events the queue holds at most; 0: as many as there are */
    size_t conf_len;         /* 0 */
    void* conf;
} em_queue_conf_t;

/* Passed on to the start function of an execution object; not looked at. */
typedef struct {
    size_t conf_len;
    void* conf;
} em_eo_conf_t;

/* An event that is sent when something is over. */
typedef struct {
    em_event_t event;
    em_queue_t queue;
    em_event_group_t egroup; /* that counts its receive function; EM_EVENT_GROUP_UNDEF: none does */
} em_notif_t;

typedef enum {
    EM_EO_STATE_UNDEF = 0,
    EM_EO_STATE_CREATED = 1,
    EM_EO_STATE_STARTING = 2,
    EM_EO_STATE_RUNNING = 3, /* only now events are received */
    EM_EO_STATE_STOPPING = 4,
    EM_EO_STATE_ERROR = 5
} em_eo_state_t;

/* EM_OK or an error, mostly one of em_status_e. */
typedef uint32_t em_status_t;
#define PRI_STAT PRIu32
#define PRIxSTAT PRIx32
#define EM_OK 0
#define EM_ERROR 0xffffffff

/* Where an error comes from: with the highest bit a function of the event machine, else the program. */
typedef uint32_t em_escope_t;
#define PRI_ESCOPE PRIu32
#define PRIxESCOPE PRIx32
#define EM_ESCOPE_BIT (0x80000000u)
#define EM_ESCOPE(escope) (EM_ESCOPE_BIT & (escope))
#define EM_ESCOPE_MASK (0xFF000000)
#define EM_ESCOPE_API_TYPE (0xFFu)
#define EM_ESCOPE_API_MASK (EM_ESCOPE_BIT | (EM_ESCOPE_API_TYPE << 24))
#define EM_ESCOPE_API(escope) (((escope) & EM_ESCOPE_MASK) == EM_ESCOPE_API_MASK)

#define EM_ESCOPE_CORE_ID (EM_ESCOPE_API_MASK | 0x0101)
#define EM_ESCOPE_CORE_COUNT (EM_ESCOPE_API_MASK | 0x0102)
#define EM_ESCOPE_DISPATCH (EM_ESCOPE_API_MASK | 0x0201)
#define EM_ESCOPE_EO_CREATE (EM_ESCOPE_API_MASK | 0x0301)
#define EM_ESCOPE_EO_DELETE (EM_ESCOPE_API_MASK | 0x0304)
#define EM_ESCOPE_EO_ADD_QUEUE (EM_ESCOPE_API_MASK | 0x0307)
#define EM_ESCOPE_EO_ADD_QUEUE_SYNC (EM_ESCOPE_API_MASK | 0x0308)
#define EM_ESCOPE_EO_REMOVE_QUEUE (EM_ESCOPE_API_MASK | 0x0309)
#define EM_ESCOPE_EO_REMOVE_QUEUE_SYNC (EM_ESCOPE_API_MASK | 0x030A)
#define EM_ESCOPE_EO_REGISTER_ERROR_HANDLER (EM_ESCOPE_API_MASK | 0x030D)
#define EM_ESCOPE_EO_UNREGISTER_ERROR_HANDLER (EM_ESCOPE_API_MASK | 0x030E)
#define EM_ESCOPE_EO_START (EM_ESCOPE_API_MASK | 0x030F)
#define EM_ESCOPE_EO_START_SYNC (EM_ESCOPE_API_MASK | 0x0310)
#define EM_ESCOPE_EO_STOP (EM_ESCOPE_API_MASK | 0x0311)
#define EM_ESCOPE_EO_STOP_SYNC (EM_ESCOPE_API_MASK | 0x0312)
#define EM_ESCOPE_EO_GET_STATE (EM_ESCOPE_API_MASK | 0x0317)
#define EM_ESCOPE_REGISTER_ERROR_HANDLER (EM_ESCOPE_API_MASK | 0x0401)
#define EM_ESCOPE_UNREGISTER_ERROR_HANDLER (EM_ESCOPE_API_MASK | 0x0402)
#define EM_ESCOPE_ERROR (EM_ESCOPE_API_MASK | 0x0403)
#define EM_ESCOPE_EVENT_GROUP_CREATE (EM_ESCOPE_API_MASK | 0x0501)
#define EM_ESCOPE_EVENT_GROUP_DELETE (EM_ESCOPE_API_MASK | 0x0502)
#define EM_ESCOPE_EVENT_GROUP_APPLY (EM_ESCOPE_API_MASK | 0x0503)
#define EM_ESCOPE_EVENT_GROUP_INCREMENT (EM_ESCOPE_API_MASK | 0x0504)
#define EM_ESCOPE_EVENT_GROUP_CURRENT (EM_ESCOPE_API_MASK | 0x0505)
#define EM_ESCOPE_EVENT_GROUP_IS_READY (EM_ESCOPE_API_MASK | 0x0506)
#define EM_ESCOPE_SEND_GROUP (EM_ESCOPE_API_MASK | 0x0507)
#define EM_ESCOPE_SEND_GROUP_MULTI (EM_ESCOPE_API_MASK | 0x0508)
#define EM_ESCOPE_EVENT_GROUP_PROCESSING_END (EM_ESCOPE_API_MASK | 0x0509)
#define EM_ESCOPE_EVENT_GROUP_ASSIGN (EM_ESCOPE_API_MASK | 0x050A)
#define EM_ESCOPE_EVENT_GROUP_ABORT (EM_ESCOPE_API_MASK | 0x050B)
#define EM_ESCOPE_EVENT_GROUP_GET_NOTIF (EM_ESCOPE_API_MASK | 0x050C)
#define EM_ESCOPE_EVENT_GROUP_GET_FIRST (EM_ESCOPE_API_MASK | 0x050D)
#define EM_ESCOPE_EVENT_GROUP_GET_NEXT (EM_ESCOPE_API_MASK | 0x050E)
#define EM_ESCOPE_ALLOC (EM_ESCOPE_API_MASK | 0x0601)
#define EM_ESCOPE_FREE (EM_ESCOPE_API_MASK | 0x0603)
#define EM_ESCOPE_SEND (EM_ESCOPE_API_MASK | 0x0605)
#define EM_ESCOPE_EVENT_POINTER (EM_ESCOPE_API_MASK | 0x0607)
#define EM_ESCOPE_EVENT_GET_SIZE (EM_ESCOPE_API_MASK | 0x0609)
#define EM_ESCOPE_EVENT_GET_TYPE (EM_ESCOPE_API_MASK | 0x060D)
#define EM_ESCOPE_QUEUE_CREATE (EM_ESCOPE_API_MASK | 0x0901)
#define EM_ESCOPE_QUEUE_DELETE (EM_ESCOPE_API_MASK | 0x0903)
#define EM_ESCOPE_QUEUE_SET_CONTEXT (EM_ESCOPE_API_MASK | 0x0904)
#define EM_ESCOPE_QUEUE_GET_CONTEXT (EM_ESCOPE_API_MASK | 0x0905)
#define EM_ESCOPE_ATOMIC_PROCESSING_END (EM_ESCOPE_API_MASK | 0x0A01)
#define EM_ESCOPE_TIMER_CREATE (EM_ESCOPE_API_MASK | 0x0B00)
#define EM_ESCOPE_TIMER_DELETE (EM_ESCOPE_API_MASK | 0x0B01)
#define EM_ESCOPE_TIMER_CUR_TICK (EM_ESCOPE_API_MASK | 0x0B02)
#define EM_ESCOPE_TIMER_GET_ALL (EM_ESCOPE_API_MASK | 0x0B03)
#define EM_ESCOPE_TIMER_GET_ATTR (EM_ESCOPE_API_MASK | 0x0B04)
#define EM_ESCOPE_TIMER_GET_FREQ (EM_ESCOPE_API_MASK | 0x0B05)
#define EM_ESCOPE_TMO_CREATE (EM_ESCOPE_API_MASK | 0x0B06)
#define EM_ESCOPE_TMO_DELETE (EM_ESCOPE_API_MASK | 0x0B07)
#define EM_ESCOPE_TMO_SET_ABS (EM_ESCOPE_API_MASK | 0x0B08)
#define EM_ESCOPE_TMO_SET_REL (EM_ESCOPE_API_MASK | 0x0B09)
#define EM_ESCOPE_TMO_CANCEL (EM_ESCOPE_API_MASK | 0x0B0A)
#define EM_ESCOPE_TMO_ACK (EM_ESCOPE_API_MASK | 0x0B0B)
#define EM_ESCOPE_TMO_GET_STATE (EM_ESCOPE_API_MASK | 0x0B0C)
#define EM_ESCOPE_TMO_SET_PERIODIC (EM_ESCOPE_API_MASK | 0x0B0D)
#define EM_ESCOPE_TMO_GET_STATS (EM_ESCOPE_API_MASK | 0x0B0E)
#define EM_ESCOPE_TIMER_ATTR_INIT (EM_ESCOPE_API_MASK | 0x0B0F)
#define EM_ESCOPE_TIMER_CAPABILITY (EM_ESCOPE_API_MASK | 0x0B10)
#define EM_ESCOPE_TIMER_RES_CAPABILITY (EM_ESCOPE_API_MASK | 0x0B11)
#define EM_ESCOPE_TIMER_NS_TO_TICK (EM_ESCOPE_API_MASK | 0x0B12)
#define EM_ESCOPE_TIMER_TICK_TO_NS (EM_ESCOPE_API_MASK | 0x0B13)
#define EM_ESCOPE_TMO_GET_TYPE (EM_ESCOPE_API_MASK | 0x0B14)
#define EM_ESCOPE_TIMER_RING_CREATE (EM_ESCOPE_API_MASK | 0x0B15)
#define EM_ESCOPE_TMO_SET_PERIODIC_RING (EM_ESCOPE_API_MASK | 0x0B16)
#define EM_ESCOPE_TMO_GET_USERPTR (EM_ESCOPE_API_MASK | 0x0B17)
#define EM_ESCOPE_TMO_CREATE_ARG (EM_ESCOPE_API_MASK | 0x0B18)
#define EM_ESCOPE_TMO_GET_TIMER (EM_ESCOPE_API_MASK | 0x0B19)

#endif
