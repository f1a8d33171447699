/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_PACKET_H_
#define EVENT_MACHINE_PACKET_H_

/* Events from pools of type EM_EVENT_TYPE_PACKET: their payload may grow and shrink at both ends.
 *
 *     | headroom | head ... payload ... tail | tailroom |
 *
 * A new one has the headroom of its pool, and the rest of its subpool's size as tailroom. A function that fails changes
 * nothing and returns null, or 0. An event of another pool is an error, EM_ERR_BAD_TYPE. All take O(1). */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* The head. */
EM_API void* em_packet_pointer(em_event_t pktev);
EM_API uint32_t em_packet_size(em_event_t pktev);
/* `size` may be null; an error leaves it alone. */
EM_API void* em_packet_pointer_and_size(em_event_t pktev, uint32_t* size);

/* Moves the tail. `size`: 1 to the size and the tailroom. Returns the head. */
EM_API void* em_packet_resize(em_event_t pktev, uint32_t size);

EM_API uint32_t em_packet_headroom(em_event_t pktev);
EM_API uint32_t em_packet_tailroom(em_event_t pktev);

/* Outwards, by at most the headroom; inwards, so that a byte is left. Return the new head. */
EM_API void* em_packet_push_head(em_event_t pktev, uint32_t len);
EM_API void* em_packet_pull_head(em_event_t pktev, uint32_t len);
/* Outwards, by at most the tailroom: returns the first byte that is new. Inwards, so that a byte is left: returns the
 * new end. */
EM_API void* em_packet_push_tail(em_event_t pktev, uint32_t len);
EM_API void* em_packet_pull_tail(em_event_t pktev, uint32_t len);

/* As if it were freed and allocated again from its subpool, with the same type: `size` bytes behind the pool's
 * headroom, and no number of the user area. */
EM_API em_status_t em_packet_reset(em_event_t pktev, uint32_t size);

EM_END_DECLS

#endif
