/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HW_SPECIFIC_H_
#define EVENT_MACHINE_HW_SPECIFIC_H_

/* Parts of an event's type, and masks of cores. A core beyond the mask is in none. */

#include <event_machine/platform/event_machine_hw_types.h>

static inline em_event_type_t em_event_type_major(em_event_type_t type) { return type & 0xFF000000; }
static inline em_event_type_t em_event_type_minor(em_event_type_t type) { return type & 0x00FFFFFF; }
/* As they were called before. */
#define em_get_type_major em_event_type_major
#define em_get_type_minor em_event_type_minor

static inline uint64_t em_core_mask_bit_(int core) {
    return core >= 0 && core < EM_MAX_CORES ? EM_STATIC_CAST(uint64_t, 1) << core : 0;
}

static inline void em_core_mask_zero(em_core_mask_t* mask) { mask->bits = 0; }
static inline void em_core_mask_set(int core, em_core_mask_t* mask) { mask->bits |= em_core_mask_bit_(core); }
static inline void em_core_mask_clr(int core, em_core_mask_t* mask) { mask->bits &= ~em_core_mask_bit_(core); }
static inline int em_core_mask_isset(int core, const em_core_mask_t* mask) {
    return (mask->bits & em_core_mask_bit_(core)) != 0;
}
static inline int em_core_mask_iszero(const em_core_mask_t* mask) { return mask->bits == 0; }
static inline int em_core_mask_equal(const em_core_mask_t* mask1, const em_core_mask_t* mask2) {
    return mask1->bits == mask2->bits;
}
/* Cores 0 to count - 1. */
static inline void em_core_mask_set_count(int count, em_core_mask_t* mask) {
    int core;
    for (core = 0; core < count; ++core) {
        em_core_mask_set(core, mask);
    }
}
static inline void em_core_mask_copy(em_core_mask_t* dst, const em_core_mask_t* src) { dst->bits = src->bits; }
static inline int em_core_mask_count(const em_core_mask_t* mask) { return __builtin_popcountll(mask->bits); }

/* Core i is bit i % 64 of bits[i / 64]. Those that are set before stay so. */
static inline void em_core_mask_set_bits(const uint64_t bits[], int len, em_core_mask_t* mask) {
    if (len > 0) {
        mask->bits |= bits[0];
    }
}
/* How many of bits[] it has written. */
static inline int em_core_mask_get_bits(uint64_t bits[], int len, const em_core_mask_t* mask) {
    if (len < 1) {
        return 0;
    }
    bits[0] = mask->bits;
    return 1;
}
/* The n-th core of the mask, n from 1; -1: it has fewer. */
static inline int em_core_mask_idx(int n, const em_core_mask_t* mask) {
    int core;
    for (core = 0; core < EM_MAX_CORES; ++core) {
        if (em_core_mask_isset(core, mask) && --n == 0) {
            return core;
        }
    }
    return -1;
}
static inline void em_core_mask_and(em_core_mask_t* dst, const em_core_mask_t* src1, const em_core_mask_t* src2) {
    dst->bits = src1->bits & src2->bits;
}
static inline void em_core_mask_or(em_core_mask_t* dst, const em_core_mask_t* src1, const em_core_mask_t* src2) {
    dst->bits = src1->bits | src2->bits;
}
static inline void em_core_mask_xor(em_core_mask_t* dst, const em_core_mask_t* src1, const em_core_mask_t* src2) {
    dst->bits = src1->bits ^ src2->bits;
}

EM_BEGIN_DECLS

/* A mask as a hexadecimal number, with 0x or without. Cores that are set before stay so. Not 0: it is no such number,
 * or has a core beyond the mask; then nothing has happened. */
EM_API int em_core_mask_set_str(const char* mask_str, em_core_mask_t* mask);
/* EM_CORE_MASK_STRLEN is room for every mask. If there is less than it takes, the text is empty. */
EM_API void em_core_mask_tostr(char* mask_str, int len, const em_core_mask_t* mask);

EM_END_DECLS

#endif
