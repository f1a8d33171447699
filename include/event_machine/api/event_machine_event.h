/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EVENT_MACHINE_EVENT_H_
#define EVENT_MACHINE_EVENT_H_

/* An event belongs to one: whoever allocated it, until it is sent; the receive function that gets it; nobody, when it
 * is freed. Only the one it belongs to may use its handle. With verification (skerry/event.h) any other use is an
 * error, EM_ERR_EVENT_STATE.
 *
 * allocated -> the caller's -> sent -> the receiver's -> sent ... -> freed
 *
 * Functions on one event take O(1); those on several O(1) for each. */

#include <event_machine/platform/event_machine_hw_types.h>

EM_BEGIN_DECLS

/* `size` in bytes, of the smallest size that has one in the core's cache or for all; else of one that other cores
 * cache. 0: an event without payload. `type`: EM_EVENT_TYPE_PACKET from pools of that type, all others but
 * EM_EVENT_TYPE_VECTOR and EM_EVENT_TYPE_TIMER_IND from any pool. What an event holds is not initialised; it begins at
 * a multiple of 64, unless the pool says otherwise. EM_EVENT_UNDEF: an error, also if none is free. */
EM_API em_event_t em_alloc(uint32_t size, em_event_type_t type, em_pool_t pool);
/* Returns how many there are; fewer than `num` are an error, too. */
EM_API int em_alloc_multi(em_event_t events[], int num, uint32_t size, em_event_type_t type, em_pool_t pool);

EM_API void em_free(em_event_t event);
EM_API void em_free_multi(em_event_t events[], int num);

/* The queue has it from now on, unless this fails: then the event is still the caller's. EM_ERR_BAD_STATE: no execution
 * object receives from that queue now. EM_ERR_OPERATION_FAILED: it holds as many as it may. */
EM_API em_status_t em_send(em_event_t event, em_queue_t queue);
/* In the order of the table, and returns how many were sent. Those behind are still the caller's: fewer than `num` are
 * an error. */
EM_API int em_send_multi(const em_event_t events[], int num, em_queue_t queue);

EM_API void* em_event_pointer(em_event_t event);
/* `size` may be null; an error leaves it alone. */
EM_API void* em_event_pointer_and_size(em_event_t event, uint32_t* size);
/* What em_alloc() was asked for; of a packet, what its head and tail have become. */
EM_API uint32_t em_event_get_size(em_event_t event);

EM_API em_pool_t em_event_get_pool(em_event_t event);
/* `subpool`, which may be null: its place among the pool's, by size. */
EM_API em_pool_t em_event_get_pool_subpool(em_event_t event, int* subpool);

/* A type that em_alloc() takes for the event's pool. */
EM_API em_status_t em_event_set_type(em_event_t event, em_event_type_t newtype);
EM_API em_event_type_t em_event_get_type(em_event_t event);
/* Returns how many types it has written; the first event without one is an error, and the last that is looked at. */
EM_API int em_event_get_type_multi(const em_event_t events[], int num, em_event_type_t types[]);
/* Returns how many events of the first one's type the table begins with, and says which. */
EM_API int em_event_same_type_multi(const em_event_t events[], int num, em_event_type_t* same_type);

/* The event will come to the queue, or be freed, without a call from here: it is no longer the caller's. `queue`:
 * atomic, parallel or parallel-ordered. To unmark it makes it the caller's again; the handle is then the one that was
 * marked. Without verification neither looks at the event. */
EM_API em_status_t em_event_mark_send(em_event_t event, em_queue_t queue);
EM_API em_status_t em_event_unmark_send(em_event_t event);
EM_API void em_event_mark_free(em_event_t event);
EM_API void em_event_unmark_free(em_event_t event);
EM_API void em_event_mark_free_multi(const em_event_t events[], int num);
EM_API void em_event_unmark_free_multi(const em_event_t events[], int num);

/* A new event of the same type with the same payload, user area and user area's number. `pool`: EM_POOL_UNDEF for the
 * event's own; a pool whose user areas are as large. EM_EVENT_UNDEF: an error. */
EM_API em_event_t em_event_clone(em_event_t event, em_pool_t pool);
/* With `len` bytes of the payload, from `offset`; the user area and its number only if `clone_uarea`. */
EM_API em_event_t em_event_clone_part(em_event_t event, em_pool_t pool, uint32_t offset, uint32_t len,
                                      bool clone_uarea);

/* The user area: bytes for the program beside the payload, as many as the pool's configuration says. Nobody initialises
 * them. Null: there are none; `size` may be null. */
EM_API void* em_event_uarea_get(em_event_t event, size_t* size);
/* A number for the program, which a new event does not have. `isset` or `id` may be null; `id` is written if there is
 * one. */
EM_API em_status_t em_event_uarea_id_get(em_event_t event, bool* isset, uint16_t* id);
EM_API em_status_t em_event_uarea_id_set(em_event_t event, uint16_t id);

typedef struct {
    void* uarea; /* null: there is none */
    size_t size;
    struct {
        bool isset;
        uint16_t value;
    } id;
} em_event_uarea_info_t;

/* All of the above; zeros in case of an error. */
EM_API em_status_t em_event_uarea_info(em_event_t event, em_event_uarea_info_t* uarea_info);

/* References are not there yet: EM_EVENT_UNDEF. So no event has any. */
EM_API em_event_t em_event_ref(em_event_t event);
EM_API bool em_event_has_ref(em_event_t event);

typedef struct {
    em_event_t* event_tbl;
    uint32_t size;
    uint32_t max_size;
} em_event_vector_info_t;

/* Vectors of events are not there yet: nothing, and zeros. */
EM_API void em_event_vector_free(em_event_t vector_event);
EM_API uint32_t em_event_vector_tbl(em_event_t vector_event, em_event_t** event_tbl);
EM_API uint32_t em_event_vector_size(em_event_t vector_event);
EM_API void em_event_vector_size_set(em_event_t vector_event, uint32_t size);
EM_API uint32_t em_event_vector_max_size(em_event_t vector_event);
EM_API em_status_t em_event_vector_info(em_event_t vector_event, em_event_vector_info_t* vector_info);

/* To be printed. */
EM_API uint64_t em_event_to_u64(em_event_t event);

EM_END_DECLS

#endif
