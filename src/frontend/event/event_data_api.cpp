// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for what an event holds.

#include <cstring>

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Calls f(event) for the caller's.
template <class F>
em_status_t with_event(const char* function, em_escope_t scope, em_event_t handle, F&& f) noexcept {
    em_status_t status = EM_OK;
    event* const e = owned(function, scope, handle, status);
    return e != nullptr ? f(*e) : status;
}

em_event_t clone(event_call call, em_escope_t scope, event& from, em_pool_t pool, std::uint32_t offset,
                 std::uint32_t bytes, bool with_area) noexcept {
    event* made = nullptr;
    static_cast<void>(with_pool(name_of(call), scope, pool != EM_POOL_UNDEF ? pool : from.pool->handle,
                                [&](event_machine&, event_pool& to) -> em_status_t {
                                    if (with_area && to.user_area() < from.pool->user_area()) {
                                        return refuse_call(EM_ERR_TOO_SMALL, scope,
                                                           "%s: user areas of pool '%s' have %zu bytes, not %zu",
                                                           name_of(call), to.name.data(), to.user_area(),
                                                           from.pool->user_area());
                                    }
                                    made = allocate(call, scope, to, bytes, from.type);
                                    if (made == nullptr) {
                                        return EM_OK;
                                    }
                                    std::memcpy(made->payload(), from.payload() + offset, bytes);
                                    if (with_area) {
                                        std::memcpy(made->user_area(), from.user_area(), from.pool->user_area());
                                        made->has_number = from.has_number;
                                        made->number = from.number;
                                    }
                                    return EM_OK;
                                }));
    return made != nullptr ? made->handle() : EM_EVENT_UNDEF;
}

em_status_t no_vectors(const char* function, em_escope_t scope) noexcept {
    return refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "%s: vectors of events are not there yet", function);
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

// --- payload --------------------------------------------------------------------------------------------------------

void* em_event_pointer(em_event_t handle) {
    event* const e = owned("em_event_pointer", EM_ESCOPE_EVENT_POINTER, handle);
    return e != nullptr ? e->payload() : nullptr;
}

void* em_event_pointer_and_size(em_event_t handle, uint32_t* size) {
    event* const e = owned("em_event_pointer_and_size", EM_ESCOPE_EVENT_POINTER_AND_SIZE, handle);
    if (e == nullptr) {
        return nullptr;
    }
    if (size != nullptr) {
        *size = e->size;
    }
    return e->payload();
}

uint32_t em_event_get_size(em_event_t handle) {
    const event* const e = owned("em_event_get_size", EM_ESCOPE_EVENT_GET_SIZE, handle);
    return e != nullptr ? e->size : 0;
}

em_pool_t em_event_get_pool(em_event_t handle) {
    const event* const e = owned("em_event_get_pool", EM_ESCOPE_EVENT_GET_POOL, handle);
    return e != nullptr ? e->pool->handle : EM_POOL_UNDEF;
}

em_pool_t em_event_get_pool_subpool(em_event_t handle, int* subpool) {
    const event* const e = owned("em_event_get_pool_subpool", EM_ESCOPE_EVENT_GET_POOL_SUBPOOL, handle);
    if (e == nullptr) {
        return EM_POOL_UNDEF;
    }
    if (subpool != nullptr) {
        *subpool = e->subpool;
    }
    return e->pool->handle;
}

em_event_t em_event_clone(em_event_t handle, em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_CLONE;
    event* const e = owned("em_event_clone", scope, handle);
    return e != nullptr ? clone(event_call::clone, scope, *e, pool, 0, e->size, true) : EM_EVENT_UNDEF;
}

em_event_t em_event_clone_part(em_event_t handle, em_pool_t pool, uint32_t offset, uint32_t len, bool clone_uarea) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_CLONE_PART;
    event* const e = owned("em_event_clone_part", scope, handle);
    if (e == nullptr) {
        return EM_EVENT_UNDEF;
    }
    if (len == 0 || offset > e->size || len > e->size - offset) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope,
                                      "em_event_clone_part: %u bytes from byte %u, of an event of %u", len, offset,
                                      e->size));
        return EM_EVENT_UNDEF;
    }
    return clone(event_call::clone_part, scope, *e, pool, offset, len, clone_uarea);
}

// --- type -----------------------------------------------------------------------------------------------------------

em_status_t em_event_set_type(em_event_t handle, em_event_type_t newtype) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_SET_TYPE;
    return with_event("em_event_set_type", scope, handle, [&](event& e) -> em_status_t {
        if (!e.pool->has_type(newtype)) {
            return refuse_call(EM_ERR_BAD_TYPE, scope, "em_event_set_type: pool '%s' has no events of type 0x%x",
                               e.pool->name.data(), newtype);
        }
        e.type = newtype;
        return EM_OK;
    });
}

em_event_type_t em_event_get_type(em_event_t handle) {
    const event* const e = owned("em_event_get_type", EM_ESCOPE_EVENT_GET_TYPE, handle);
    return e != nullptr ? e->type : em_event_type_t{EM_EVENT_TYPE_UNDEF};
}

int em_event_get_type_multi(const em_event_t events[], int num, em_event_type_t types[]) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_GET_TYPE_MULTI;
    if (!is_table("em_event_get_type_multi", scope, types == nullptr ? nullptr : events, num)) {
        return 0;
    }
    int known = 0;
    for (; known < num; ++known) {
        const event* const e = owned("em_event_get_type_multi", scope, events[known]);
        if (e == nullptr) {
            break;
        }
        types[known] = e->type;
    }
    return known;
}

int em_event_same_type_multi(const em_event_t events[], int num, em_event_type_t* same_type) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_SAME_TYPE_MULTI;
    if (!is_table("em_event_same_type_multi", scope, same_type == nullptr ? nullptr : events, num)) {
        return 0;
    }
    int same = 0;
    for (; same < num; ++same) {
        const event* const e = owned("em_event_same_type_multi", scope, events[same]);
        if (e == nullptr || (same != 0 && e->type != *same_type)) {
            break;
        }
        *same_type = e->type;
    }
    return same;
}

// --- user area ------------------------------------------------------------------------------------------------------

namespace {

void* area_of(event& e) noexcept { return e.pool->user_area() != 0 ? e.user_area() : nullptr; }

} // namespace

void* em_event_uarea_get(em_event_t handle, size_t* size) {
    event* const e = owned("em_event_uarea_get", EM_ESCOPE_EVENT_UAREA_GET, handle);
    if (size != nullptr) {
        *size = e != nullptr ? e->pool->user_area() : 0;
    }
    return e != nullptr ? area_of(*e) : nullptr;
}

em_status_t em_event_uarea_id_get(em_event_t handle, bool* isset, uint16_t* id) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_UAREA_ID_GET;
    return with_event("em_event_uarea_id_get", scope, handle, [&](const event& e) -> em_status_t {
        if (isset == nullptr && id == nullptr) {
            return refuse_call(EM_ERR_BAD_POINTER, scope, "em_event_uarea_id_get: two null pointers");
        }
        if (isset != nullptr) {
            *isset = e.has_number;
        }
        if (id != nullptr && e.has_number) {
            *id = e.number;
        }
        return EM_OK;
    });
}

em_status_t em_event_uarea_id_set(em_event_t handle, uint16_t id) {
    return with_event("em_event_uarea_id_set", EM_ESCOPE_EVENT_UAREA_ID_SET, handle, [&](event& e) -> em_status_t {
        e.has_number = true;
        e.number = id;
        return EM_OK;
    });
}

em_status_t em_event_uarea_info(em_event_t handle, em_event_uarea_info_t* uarea_info) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_UAREA_INFO;
    if (uarea_info == nullptr) {
        return refuse_call(EM_ERR_BAD_POINTER, scope, "em_event_uarea_info: a null pointer");
    }
    *uarea_info = em_event_uarea_info_t{};
    return with_event("em_event_uarea_info", scope, handle, [&](event& e) -> em_status_t {
        uarea_info->uarea = area_of(e);
        uarea_info->size = e.pool->user_area();
        uarea_info->id.isset = e.has_number;
        uarea_info->id.value = e.has_number ? e.number : std::uint16_t{0};
        return EM_OK;
    });
}

// --- references and vectors -----------------------------------------------------------------------------------------

em_event_t em_event_ref(em_event_t handle) {
    constexpr em_escope_t scope = EM_ESCOPE_EVENT_REF;
    if (owned("em_event_ref", scope, handle) != nullptr) {
        static_cast<void>(
            refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "em_event_ref: references to events are not there yet"));
    }
    return EM_EVENT_UNDEF;
}

bool em_event_has_ref(em_event_t handle) {
    static_cast<void>(owned("em_event_has_ref", EM_ESCOPE_EVENT_HAS_REF, handle));
    return false;
}

void em_event_vector_free(em_event_t /*vector_event*/) {
    static_cast<void>(no_vectors("em_event_vector_free", EM_ESCOPE_EVENT_VECTOR_FREE));
}

uint32_t em_event_vector_tbl(em_event_t /*vector_event*/, em_event_t** event_tbl) {
    if (event_tbl != nullptr) {
        *event_tbl = nullptr;
    }
    static_cast<void>(no_vectors("em_event_vector_tbl", EM_ESCOPE_EVENT_VECTOR_TBL));
    return 0;
}

uint32_t em_event_vector_size(em_event_t /*vector_event*/) {
    static_cast<void>(no_vectors("em_event_vector_size", EM_ESCOPE_EVENT_VECTOR_SIZE));
    return 0;
}

void em_event_vector_size_set(em_event_t /*vector_event*/, uint32_t /*size*/) {
    static_cast<void>(no_vectors("em_event_vector_size_set", EM_ESCOPE_EVENT_VECTOR_SIZE_SET));
}

uint32_t em_event_vector_max_size(em_event_t /*vector_event*/) {
    static_cast<void>(no_vectors("em_event_vector_max_size", EM_ESCOPE_EVENT_VECTOR_MAX_SIZE));
    return 0;
}

em_status_t em_event_vector_info(em_event_t /*vector_event*/, em_event_vector_info_t* vector_info) {
    if (vector_info != nullptr) {
        *vector_info = em_event_vector_info_t{};
    }
    return no_vectors("em_event_vector_info", EM_ESCOPE_EVENT_VECTOR_INFO);
}

uint64_t em_event_to_u64(em_event_t event) { return reinterpret_cast<std::uintptr_t>(event); }
