/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_CONFIG_H_
#define EVENT_MACHINE_CONFIG_H_

/* What the other headers are written with: the form of handles, and the marks of a declaration. */

#ifdef __cplusplus
#define EM_BEGIN_DECLS extern "C" {
#define EM_END_DECLS }
#define EM_STATIC_CAST(type, x) static_cast<type>(x)
#define EM_REINTERPRET_CAST(type, x) reinterpret_cast<type>(x)
#else
#define EM_BEGIN_DECLS
#define EM_END_DECLS
#define EM_STATIC_CAST(type, x) ((type)(x))
#define EM_REINTERPRET_CAST(type, x) ((type)(x))
#endif

/* The shared library shows the function. */
#define EM_API __attribute__((__visibility__("default")))

/* Event groups at most, and notifications of each. */
#define EM_MAX_EVENT_GROUPS 1024
#define EM_EVENT_GROUP_MAX_NOTIF 6

/* Hooks of each kind, and callbacks of each kind, at most. All kinds of hooks are there. */
#define EM_CALLBACKS_MAX 8
#define EM_API_HOOKS_ENABLE 1
#define EM_IDLE_HOOKS_ENABLE 1

/* Cores take times for em_debug_timestamp() when somebody asks for them. */
#define EM_DEBUG_TIMESTAMP_ENABLE 1

/* What no longer counts for a group, or never did, is found out when it is received. */
#define EM_EVENT_GROUP_SAFE_MODE 1

/* A type of its own for each kind of handle, so that compilers tell them apart. */
#define EM_HANDLE_T(type) typedef struct type##_object* type

/* Of every kind: no handle. */
#define EM_HDL_UNDEF NULL
#define PRI_HDL "p"

#define EM_MAX_QUEUES 65535
#define EM_MAX_ATOMIC_GROUPS 128
#define EM_MAX_EOS 1024

/* Bytes of a name that are kept, the end included. */
#define EM_QUEUE_NAME_LEN 32
#define EM_EO_NAME_LEN 32
#define EM_ATOMIC_GROUP_NAME_LEN 32

/* Pools at most. */
#define EM_CONFIG_POOLS 16

#endif
