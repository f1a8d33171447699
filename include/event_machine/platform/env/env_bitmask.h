/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENV_BITMASK_H_
#define ENV_BITMASK_H_

/* Masks of ENV_BITMASK_SIZE bits, such as of processors. A bit beyond the mask is in none. */

#include <event_machine/platform/env/env_macros.h>

#include <stdint.h>

#define ENV_BITMASK_SIZE 1024
#define ENV_BITMASK_WORDS_ (ENV_BITMASK_SIZE / 64)

typedef struct {
    uint64_t words[ENV_BITMASK_WORDS_];
} env_bitmask_t;

static inline int env_bitmask_has_(int bit) { return bit >= 0 && bit < ENV_BITMASK_SIZE; }
static inline uint64_t env_bitmask_bit_(int bit) { return EM_STATIC_CAST(uint64_t, 1) << (bit % 64); }

static inline void env_bitmask_zero(env_bitmask_t* mask) {
    int i;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        mask->words[i] = 0;
    }
}
static inline void env_bitmask_set(int bit, env_bitmask_t* mask) {
    if (env_bitmask_has_(bit)) {
        mask->words[bit / 64] |= env_bitmask_bit_(bit);
    }
}
static inline void env_bitmask_clr(int bit, env_bitmask_t* mask) {
    if (env_bitmask_has_(bit)) {
        mask->words[bit / 64] &= ~env_bitmask_bit_(bit);
    }
}
static inline int env_bitmask_isset(int bit, const env_bitmask_t* mask) {
    return env_bitmask_has_(bit) && (mask->words[bit / 64] & env_bitmask_bit_(bit)) != 0;
}
static inline int env_bitmask_equal(const env_bitmask_t* mask1, const env_bitmask_t* mask2) {
    int i;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        if (mask1->words[i] != mask2->words[i]) {
            return 0;
        }
    }
    return 1;
}
static inline int env_bitmask_count(const env_bitmask_t* mask) {
    int i;
    int count = 0;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        count += __builtin_popcountll(mask->words[i]);
    }
    return count;
}
static inline int env_bitmask_iszero(const env_bitmask_t* mask) { return env_bitmask_count(mask) == 0; }
/* Bits 0 to count - 1. */
static inline void env_bitmask_set_count(int count, env_bitmask_t* mask) {
    int bit;
    for (bit = 0; bit < count; ++bit) {
        env_bitmask_set(bit, mask);
    }
}
static inline void env_bitmask_copy(env_bitmask_t* dst, const env_bitmask_t* src) { *dst = *src; }

/* Bit i is bit i % 64 of bits[i / 64]. Those that are set before stay so. */
static inline void env_bitmask_set_bits(const uint64_t bits[], int len, env_bitmask_t* mask) {
    int i;
    for (i = 0; i < len && i < ENV_BITMASK_WORDS_; ++i) {
        mask->words[i] |= bits[i];
    }
}
/* How many of bits[] it has written. */
static inline int env_bitmask_get_bits(uint64_t bits[], int len, const env_bitmask_t* mask) {
    int i;
    for (i = 0; i < len && i < ENV_BITMASK_WORDS_; ++i) {
        bits[i] = mask->words[i];
    }
    return i;
}
/* The n-th bit that is set, n from 1; -1: fewer are. */
static inline int env_bitmask_idx(int n, const env_bitmask_t* mask) {
    int bit;
    for (bit = 0; bit < ENV_BITMASK_SIZE; ++bit) {
        if (env_bitmask_isset(bit, mask) && --n == 0) {
            return bit;
        }
    }
    return -1;
}

static inline void env_bitmask_and(env_bitmask_t* dst, const env_bitmask_t* src1, const env_bitmask_t* src2) {
    int i;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        dst->words[i] = src1->words[i] & src2->words[i];
    }
}
static inline void env_bitmask_or(env_bitmask_t* dst, const env_bitmask_t* src1, const env_bitmask_t* src2) {
    int i;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        dst->words[i] = src1->words[i] | src2->words[i];
    }
}
static inline void env_bitmask_xor(env_bitmask_t* dst, const env_bitmask_t* src1, const env_bitmask_t* src2) {
    int i;
    for (i = 0; i < ENV_BITMASK_WORDS_; ++i) {
        dst->words[i] = src1->words[i] ^ src2->words[i];
    }
}

#endif
