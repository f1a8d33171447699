/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_ATOMIC_H_
#define ENV_ATOMIC_H_

/* Numbers that several threads change. Every operation is sequentially consistent. */

#include <event_machine/platform/env/env_macros.h>

#include <stdint.h>

typedef struct {
    uint32_t a32;
} ENV_ALIGNED(4) env_atomic32_t;

/* 0. */
static inline void env_atomic32_init(env_atomic32_t* atom) { __atomic_store_n(&atom->a32, 0, __ATOMIC_SEQ_CST); }
static inline void env_atomic32_set(env_atomic32_t* atom, uint32_t new_val) {
    __atomic_store_n(&atom->a32, new_val, __ATOMIC_SEQ_CST);
}
static inline uint32_t env_atomic32_get(const env_atomic32_t* atom) {
    return __atomic_load_n(&atom->a32, __ATOMIC_SEQ_CST);
}

/* What it was before. */
static inline uint32_t env_atomic32_return_add(env_atomic32_t* atom, uint32_t add_val) {
    return __atomic_fetch_add(&atom->a32, add_val, __ATOMIC_SEQ_CST);
}
static inline uint32_t env_atomic32_return_sub(env_atomic32_t* atom, uint32_t sub_val) {
    return __atomic_fetch_sub(&atom->a32, sub_val, __ATOMIC_SEQ_CST);
}
static inline uint32_t env_atomic32_exchange(env_atomic32_t* atom, uint32_t new_val) {
    return __atomic_exchange_n(&atom->a32, new_val, __ATOMIC_SEQ_CST);
}
/* What it is now. */
static inline uint32_t env_atomic32_add_return(env_atomic32_t* atom, uint32_t add_val) {
    return __atomic_add_fetch(&atom->a32, add_val, __ATOMIC_SEQ_CST);
}
static inline uint32_t env_atomic32_sub_return(env_atomic32_t* atom, uint32_t sub_val) {
    return __atomic_sub_fetch(&atom->a32, sub_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic32_add(env_atomic32_t* atom, uint32_t add_val) {
    (void)__atomic_fetch_add(&atom->a32, add_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic32_sub(env_atomic32_t* atom, uint32_t sub_val) {
    (void)__atomic_fetch_sub(&atom->a32, sub_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic32_inc(env_atomic32_t* atom) { env_atomic32_add(atom, 1); }
static inline void env_atomic32_dec(env_atomic32_t* atom) { env_atomic32_sub(atom, 1); }

/* Not 0: it was as expected, and is as desired. */
static inline int env_atomic32_cmpset(env_atomic32_t* atom, uint32_t expected, uint32_t desired) {
    return __atomic_compare_exchange_n(&atom->a32, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline void env_atomic32_set_bits(env_atomic32_t* atom, uint32_t bit_mask) {
    (void)__atomic_fetch_or(&atom->a32, bit_mask, __ATOMIC_SEQ_CST);
}
static inline void env_atomic32_clr_bits(env_atomic32_t* atom, uint32_t bit_mask) {
    (void)__atomic_fetch_and(&atom->a32, ~bit_mask, __ATOMIC_SEQ_CST);
}
static inline int env_atomic32_cnt_bits(const env_atomic32_t* atom) {
    return __builtin_popcountll(env_atomic32_get(atom));
}

typedef struct {
    uint64_t a64;
} ENV_ALIGNED(8) env_atomic64_t;

/* 0. */
static inline void env_atomic64_init(env_atomic64_t* atom) { __atomic_store_n(&atom->a64, 0, __ATOMIC_SEQ_CST); }
static inline void env_atomic64_set(env_atomic64_t* atom, uint64_t new_val) {
    __atomic_store_n(&atom->a64, new_val, __ATOMIC_SEQ_CST);
}
static inline uint64_t env_atomic64_get(const env_atomic64_t* atom) {
    return __atomic_load_n(&atom->a64, __ATOMIC_SEQ_CST);
}

/* What it was before. */
static inline uint64_t env_atomic64_return_add(env_atomic64_t* atom, uint64_t add_val) {
    return __atomic_fetch_add(&atom->a64, add_val, __ATOMIC_SEQ_CST);
}
static inline uint64_t env_atomic64_return_sub(env_atomic64_t* atom, uint64_t sub_val) {
    return __atomic_fetch_sub(&atom->a64, sub_val, __ATOMIC_SEQ_CST);
}
static inline uint64_t env_atomic64_exchange(env_atomic64_t* atom, uint64_t new_val) {
    return __atomic_exchange_n(&atom->a64, new_val, __ATOMIC_SEQ_CST);
}
/* What it is now. */
static inline uint64_t env_atomic64_add_return(env_atomic64_t* atom, uint64_t add_val) {
    return __atomic_add_fetch(&atom->a64, add_val, __ATOMIC_SEQ_CST);
}
static inline uint64_t env_atomic64_sub_return(env_atomic64_t* atom, uint64_t sub_val) {
    return __atomic_sub_fetch(&atom->a64, sub_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic64_add(env_atomic64_t* atom, uint64_t add_val) {
    (void)__atomic_fetch_add(&atom->a64, add_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic64_sub(env_atomic64_t* atom, uint64_t sub_val) {
    (void)__atomic_fetch_sub(&atom->a64, sub_val, __ATOMIC_SEQ_CST);
}
static inline void env_atomic64_inc(env_atomic64_t* atom) { env_atomic64_add(atom, 1); }
static inline void env_atomic64_dec(env_atomic64_t* atom) { env_atomic64_sub(atom, 1); }

/* Not 0: it was as expected, and is as desired. */
static inline int env_atomic64_cmpset(env_atomic64_t* atom, uint64_t expected, uint64_t desired) {
    return __atomic_compare_exchange_n(&atom->a64, &expected, desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline void env_atomic64_set_bits(env_atomic64_t* atom, uint64_t bit_mask) {
    (void)__atomic_fetch_or(&atom->a64, bit_mask, __ATOMIC_SEQ_CST);
}
static inline void env_atomic64_clr_bits(env_atomic64_t* atom, uint64_t bit_mask) {
    (void)__atomic_fetch_and(&atom->a64, ~bit_mask, __ATOMIC_SEQ_CST);
}
static inline int env_atomic64_cnt_bits(const env_atomic64_t* atom) {
    return __builtin_popcountll(env_atomic64_get(atom));
}

#endif
