/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_BARRIER_H_
#define ENV_BARRIER_H_

/* Where as many threads wait for each other as a mask has bits; as often as they like. They sleep. */

#include <event_machine/platform/env/env_bitmask.h>

EM_BEGIN_DECLS

typedef struct {
    uint32_t count;
    uint32_t arrived; /* in this turn */
    uint32_t turn;
} env_barrier_t;

/* Sleeps while the word has the value; may return at any time. */
EM_API void env_wait_(const uint32_t* word, uint32_t value);
EM_API void env_wake_all_(const uint32_t* word);

static inline void env_barrier_init(env_barrier_t* barrier, const env_bitmask_t* core_mask) {
    barrier->count = EM_STATIC_CAST(uint32_t, env_bitmask_count(core_mask));
    barrier->arrived = 0;
    barrier->turn = 0;
}

/* What threads have done before it, all see behind it. */
static inline void env_barrier_sync(env_barrier_t* barrier) {
    const uint32_t turn = __atomic_load_n(&barrier->turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) == barrier->count) {
        __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED); /* the next turn begins behind the line below */
        __atomic_store_n(&barrier->turn, turn + 1, __ATOMIC_RELEASE);
        env_wake_all_(&barrier->turn);
        return;
    }
    while (__atomic_load_n(&barrier->turn, __ATOMIC_ACQUIRE) == turn) {
        env_wait_(&barrier->turn, turn);
    }
}

EM_END_DECLS

#endif
