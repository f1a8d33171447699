/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_EVENT_H_
#define EVENT_MACHINE_EVENT_H_

/* An event belongs to one: whoever allocated it, until it is sent; the receive function that gets it; nobody, when it
 * is freed. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `size` in bytes, of the smallest that the pool has for it; `type`: EM_EVENT_TYPE_SW, or what the pool is of. What an
 * event holds is not initialised; it begins at a multiple of 64. EM_EVENT_UNDEF: an error, also if none is free. O(1).
 */
EM_API em_event_t em_alloc(uint32_t size, em_event_type_t type, em_pool_t pool);
/* O(1). */
EM_API void em_free(em_event_t event);

/* The queue has it from now on, unless this fails: then the event is still the caller's. EM_ERR_BAD_STATE: no execution
 * object receives from that queue now. EM_ERR_OPERATION_FAILED: it holds as many as it may. O(1). */
EM_API em_status_t em_send(em_event_t event, em_queue_t queue);

EM_API void* em_event_pointer(em_event_t event);
/* What em_alloc() was asked for. */
EM_API uint32_t em_event_get_size(em_event_t event);
EM_API em_event_type_t em_event_get_type(em_event_t event);

EM_END_DECLS

#endif
