/* SPDX-License-Identifier: Apache-2.0 */
/* What environment.h has, in C. Returns the line of what is wrong. */
#include <event_machine.h>
#include <event_machine/helper/event_machine_debug.h>
#include <event_machine/helper/event_machine_helper.h>
#include <event_machine/platform/env/environment.h>

#include <string.h>

#define CHECK(what)                                                                                                    \
    if (!(what)) {                                                                                                     \
        return __LINE__;                                                                                               \
    }

COMPILE_TIME_ASSERT(ROUND_UP(65, 64) == 128, whole_lines);
COMPILE_TIME_ASSERT(sizeof(env_atomic64_t) == 8, one_word);

static ENV_LOCAL int local;
static struct {
    char byte;
} ENV_CACHE_LINE_ALIGNED line;

static int atomics(void) {
    env_atomic32_t a;
    env_atomic64_t b;
    env_atomic32_init(&a);
    env_atomic32_inc(&a);
    env_atomic32_add(&a, 5);
    env_atomic32_dec(&a);
    env_atomic32_sub(&a, 1);
    CHECK(env_atomic32_get(&a) == 4)
    CHECK(env_atomic32_return_add(&a, 2) == 4 && env_atomic32_add_return(&a, 2) == 8)
    CHECK(env_atomic32_return_sub(&a, 1) == 8 && env_atomic32_sub_return(&a, 1) == 6)
    CHECK(env_atomic32_cmpset(&a, 6, 9) && !env_atomic32_cmpset(&a, 6, 10))
    CHECK(env_atomic32_exchange(&a, 1) == 9)
    env_atomic32_set_bits(&a, 0x30);
    env_atomic32_clr_bits(&a, 0x10);
    CHECK(env_atomic32_cnt_bits(&a) == 2)
    env_atomic64_init(&b);
    env_atomic64_set(&b, UINT64_C(1) << 40);
    env_atomic64_inc(&b);
    env_atomic64_add(&b, 5);
    env_atomic64_dec(&b);
    env_atomic64_sub(&b, 5);
    CHECK(env_atomic64_get(&b) == UINT64_C(1) << 40)
    CHECK(env_atomic64_return_add(&b, 2) == UINT64_C(1) << 40 &&
          env_atomic64_add_return(&b, 1) == (UINT64_C(1) << 40) + 3)
    CHECK(env_atomic64_return_sub(&b, 1) == (UINT64_C(1) << 40) + 3 && env_atomic64_sub_return(&b, 2) == UINT64_C(1)
                                                                                                             << 40)
    CHECK(env_atomic64_cmpset(&b, UINT64_C(1) << 40, 9) && env_atomic64_exchange(&b, 0) == 9)
    env_atomic64_set_bits(&b, UINT64_C(3) << 60);
    env_atomic64_clr_bits(&b, UINT64_C(1) << 60);
    CHECK(env_atomic64_cnt_bits(&b) == 1)
    return 0;
}

static int locks_and_masks(void) {
    env_spinlock_t lock;
    env_barrier_t barrier;
    env_bitmask_t mask, other;
    const uint64_t bits[2] = {0, 1};
    uint64_t back[2];
    env_spinlock_init(&lock);
    CHECK(env_spinlock_trylock(&lock) && !env_spinlock_trylock(&lock) && env_spinlock_is_locked(&lock))
    env_spinlock_unlock(&lock);
    env_spinlock_lock(&lock);
    env_spinlock_unlock(&lock);
    CHECK(!env_spinlock_is_locked(&lock))
    env_bitmask_zero(&mask);
    CHECK(env_bitmask_iszero(&mask))
    env_bitmask_set_count(1, &mask);
    env_barrier_init(&barrier, &mask);
    env_barrier_sync(&barrier);
    env_barrier_sync(&barrier);
    env_bitmask_set_bits(bits, 2, &mask);
    env_bitmask_set(-1, &mask);
    env_bitmask_set(ENV_BITMASK_SIZE, &mask);
    CHECK(env_bitmask_count(&mask) == 2 && env_bitmask_isset(64, &mask) && !env_bitmask_isset(ENV_BITMASK_SIZE, &mask))
    CHECK(env_bitmask_idx(2, &mask) == 64 && env_bitmask_idx(3, &mask) == -1)
    CHECK(env_bitmask_get_bits(back, 2, &mask) == 2 && back[0] == 1 && back[1] == 1)
    env_bitmask_copy(&other, &mask);
    CHECK(env_bitmask_equal(&other, &mask))
    env_bitmask_clr(0, &other);
    CHECK(!env_bitmask_equal(&other, &mask))
    env_bitmask_xor(&mask, &mask, &other);
    CHECK(env_bitmask_idx(1, &mask) == 0 && env_bitmask_count(&mask) == 1)
    env_bitmask_or(&mask, &mask, &other);
    CHECK(env_bitmask_count(&mask) == 2)
    env_bitmask_and(&mask, &mask, &other);
    CHECK(env_bitmask_idx(1, &mask) == 64)
    return 0;
}

static int time_and_memory(void) {
    const env_time_t begin = env_time_global();
    env_time_t end;
    char* memory;
    env_time_wait_ns(1000);
    end = env_time_local();
    CHECK(env_time_cmp(end, begin) > 0 && env_time_cmp(begin, end) < 0 && env_time_cmp(ENV_TIME_NULL, begin) < 0)
    CHECK(env_time_diff_ns(end, begin) >= 1000 && env_time_to_ns(env_time_diff(end, begin)) >= 1000)
    CHECK(env_time_to_ns(env_time_sum(env_time_local_from_ns(3), env_time_global_from_ns(4))) == 7)
    CHECK(env_time_to_cycles(env_time_global_from_ns(1500000000), 2000000000) == 3000000000)
    CHECK(env_get_cycle() != 0 && env_core_hz() != 0)
    memory = EM_STATIC_CAST(char*, env_shared_reserve("mine", 100));
    CHECK(memory != NULL && memory[99] == 0 && env_shared_lookup("mine") == memory)
    CHECK(env_shared_reserve("mine", 1) == NULL && env_shared_reserve("", 1) == NULL)
    CHECK(env_shared_reserve("a name that is longer than it may be", 1) == NULL)
    CHECK(env_shared_lookup("yours") == NULL)
    env_shared_free(memory);
    CHECK(env_shared_lookup("mine") == NULL)
    memory = EM_STATIC_CAST(char*, env_shared_malloc(5));
    CHECK(memory != NULL)
    memset(memory, 1, 5);
    env_shared_free(memory);
    env_shared_free(NULL);
    return 0;
}

static int macros(void) {
    local = 1;
    line.byte = 1;
    ENV_PREFETCH(&line);
    env_sync_mem();
    CHECK(likely(local == 1) && !unlikely(line.byte == 2))
    CHECK(POWEROF2(64) && !POWEROF2(65) && MIN(1, 2) == 1 && MAX(1, 2) == 2)
    CHECK(ENV_LOWEST_BIT(12) == 4 && ENV_CLEAR_LOWEST_BIT(12) == 8)
    CHECK(ENV_CACHE_LINE_SIZE_ROUNDUP(1) == ENV_CACHE_LINE_SIZE)
    if (sizeof line % ENV_CACHE_LINE_SIZE != 0) {
        env_panic("it is not a whole line");
    }
    CHECK(strcmp(em_version_api_str(), EM_VERSION_API_STR) == 0 && em_core_id_get_physical(0) == -1)
    return em_debug_timestamp(EM_DEBUG_TSP_LAST) != 0;
}

int environment_in_c(void);
int environment_in_c(void) {
    int wrong = atomics();
    wrong = wrong != 0 ? wrong : locks_and_masks();
    wrong = wrong != 0 ? wrong : time_and_memory();
    return wrong != 0 ? wrong : macros();
}
