/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_MACROS_H_
#define ENV_MACROS_H_

#include <event_machine/platform/event_machine_config.h>

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#ifdef __cplusplus
#define COMPILE_TIME_ASSERT(cond, msg) static_assert(cond, #msg)
#else
#define COMPILE_TIME_ASSERT(cond, msg) _Static_assert(cond, #msg)
#endif

/* To the next multiple of N. */
#define ROUND_UP(val, N) ((((val) + ((N) - 1)) / (N)) * (N))
#define POWEROF2(x) ((((x) - 1) & (x)) == 0)
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#endif
/* Of the bits that are set: the lowest alone, or all but that. */
#define ENV_LOWEST_BIT(n) ((n) & (~((n) - 1)))
#define ENV_CLEAR_LOWEST_BIT(n) ((n) & ((n) - 1))

#define ENV_LOCAL __thread

#define ENV_ALIGNED(x) __attribute__((__aligned__(x)))
#define ENV_CACHE_LINE_SIZE 64
#define ENV_CACHE_LINE_SIZE_ROUNDUP(x) ROUND_UP(x, ENV_CACHE_LINE_SIZE)
#define ENV_CACHE_LINE_ALIGNED ENV_ALIGNED(ENV_CACHE_LINE_SIZE)
#define ENV_PREFETCH(addr) __builtin_prefetch((addr))

#endif
