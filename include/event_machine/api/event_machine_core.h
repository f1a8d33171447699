/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_CORE_H_
#define EVENT_MACHINE_CORE_H_

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* From 0, in the order of em_init_core(); negative: the calling thread is no core. */
EM_API int em_core_id(void);
/* What em_init() was told. */
EM_API int em_core_count(void);

EM_END_DECLS

#endif
