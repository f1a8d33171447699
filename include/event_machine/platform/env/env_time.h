/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_TIME_H_
#define ENV_TIME_H_

/* Points in time, and what lies between them. Local and global time are the same: the monotonic clock, in nanoseconds.
 */

#include <event_machine/platform/env/env_macros.h>

#include <stdint.h>

EM_BEGIN_DECLS

typedef struct {
    uint64_t ns;
} env_time_t;

EM_API uint64_t env_now_ns_(void);
/* Sleeps that long at least. */
EM_API void env_time_wait_ns(uint64_t ns);

static inline env_time_t env_time_global_from_ns(uint64_t ns) {
    env_time_t time;
    time.ns = ns;
    return time;
}
static inline env_time_t env_time_local_from_ns(uint64_t ns) { return env_time_global_from_ns(ns); }
#define ENV_TIME_NULL env_time_global_from_ns(0)

static inline env_time_t env_time_global(void) { return env_time_global_from_ns(env_now_ns_()); }
static inline env_time_t env_time_local(void) { return env_time_global(); }

/* From time1 to time2. */
static inline uint64_t env_time_diff_ns(env_time_t time2, env_time_t time1) { return time2.ns - time1.ns; }
static inline env_time_t env_time_diff(env_time_t time2, env_time_t time1) {
    return env_time_global_from_ns(env_time_diff_ns(time2, time1));
}
static inline env_time_t env_time_sum(env_time_t time1, env_time_t time2) {
    return env_time_global_from_ns(time1.ns + time2.ns);
}
/* As of time2 - time1: less than 0, 0, or greater. */
static inline int env_time_cmp(env_time_t time2, env_time_t time1) {
    return (time2.ns > time1.ns) - (time2.ns < time1.ns);
}
static inline uint64_t env_time_to_ns(env_time_t time) { return time.ns; }
/* Of a clock with that many cycles a second. */
static inline uint64_t env_time_to_cycles(env_time_t time, uint64_t hz) {
    const uint64_t second = 1000000000;
    return time.ns / second * hz + time.ns % second * (hz / 1000) / (second / 1000);
}

EM_END_DECLS

#endif
