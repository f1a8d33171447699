/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENVIRONMENT_H_
#define ENVIRONMENT_H_

/* What programs for em-odp use of the machine below it: atomics, locks, barriers, masks, time, memory. The other
 * headers of this folder come with it. For C11 and C++20, with GCC or Clang. Skerry itself uses none of it. */

#include <event_machine/platform/env/env_atomic.h>
#include <event_machine/platform/env/env_barrier.h>
#include <event_machine/platform/env/env_bitmask.h>
#include <event_machine/platform/env/env_conf.h>
#include <event_machine/platform/env/env_macros.h>
#include <event_machine/platform/env/env_sharedmem.h>
#include <event_machine/platform/env/env_spinlock.h>
#include <event_machine/platform/env/env_time.h>

#include <stdint.h>
#include <stdlib.h>

EM_BEGIN_DECLS

#define env_panic(...) abort()

/* A counter of constant rate, and its rate. The first call of env_core_hz() may take 200 us. */
EM_API uint64_t env_get_cycle(void);
EM_API uint64_t env_core_hz(void);

/* A full fence. */
static inline void env_sync_mem(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

EM_END_DECLS

#endif
