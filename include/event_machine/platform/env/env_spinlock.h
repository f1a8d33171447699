/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_SPINLOCK_H_
#define ENV_SPINLOCK_H_

/* A lock for sections of a few instructions. Whoever waits for it longer lets other threads run. */

#include <event_machine/platform/env/env_macros.h>

#include <stdint.h>

EM_BEGIN_DECLS

EM_API void env_yield_(void);

typedef struct {
    uint32_t locked;
} env_spinlock_t;

static inline void env_spinlock_init(env_spinlock_t* const lock) {
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELAXED);
}
/* Not 0: the caller has it. */
static inline int env_spinlock_trylock(env_spinlock_t* const lock) {
    return __atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE) == 0;
}
static inline int env_spinlock_is_locked(env_spinlock_t* const lock) {
    return __atomic_load_n(&lock->locked, __ATOMIC_RELAXED) != 0;
}
static inline void env_spinlock_lock(env_spinlock_t* const lock) {
    int spins = 0;
    while (!env_spinlock_trylock(lock)) {
        while (env_spinlock_is_locked(lock)) { /* reads alone: the line stays with its holder */
            if (++spins % 100 == 0) {
                env_yield_();
            }
        }
    }
}
static inline void env_spinlock_unlock(env_spinlock_t* const lock) {
    __atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

EM_END_DECLS

#endif
