/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_HW_SPECIFIC_H_
#define EVENT_MACHINE_HW_SPECIFIC_H_

/* Parts of an event's type, and masks of cores. A core beyond the mask is in none. */

#include <event_machine/platform/event_machine_hw_types.h>

static inline em_event_type_t em_get_type_major(em_event_type_t type) { return type & 0xFF000000; }
static inline em_event_type_t em_get_type_minor(em_event_type_t type) { return type & 0x00FFFFFF; }

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

#endif
