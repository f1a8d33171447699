// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h for pools and events.

#include <span>

#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

const char* wrong_with(const em_pool_cfg_t& c) noexcept {
    if (c.internal_check != initialised) {
        return "em_pool_cfg_init() was not called for the configuration";
    }
    if (c.event_type != EM_EVENT_TYPE_SW && c.event_type != EM_EVENT_TYPE_PACKET) {
        return "the type of events is neither EM_EVENT_TYPE_SW nor EM_EVENT_TYPE_PACKET";
    }
    if (c.num_subpools < 1 || c.num_subpools > EM_MAX_SUBPOOLS) {
        return "a pool has 1 to 4 subpools";
    }
    for (int i = 0; i < c.num_subpools; ++i) {
        if (c.subpool[i].size == 0 || c.subpool[i].num == 0) {
            return "a subpool needs a size and a number of events";
        }
    }
    return nullptr;
}

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

void em_pool_cfg_init(em_pool_cfg_t* const pool_cfg) {
    if (pool_cfg == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_BAD_POINTER, EM_ESCOPE_POOL_CFG_INIT, "em_pool_cfg_init: a null pointer"));
        return;
    }
    *pool_cfg = em_pool_cfg_t{};
    pool_cfg->event_type = EM_EVENT_TYPE_SW;
    pool_cfg->num_subpools = 1;
    pool_cfg->subpool[0].size = 256;
    pool_cfg->subpool[0].num = 1024;
    pool_cfg->internal_check = initialised;
}

em_pool_t em_pool_create(const char* name, em_pool_t pool, const em_pool_cfg_t* pool_cfg) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_CREATE;
    std::size_t number = 0;
    static_cast<void>(with_machine("em_pool_create", scope, [&](event_machine& em) -> em_status_t {
        if (const char* const wrong =
                pool_cfg != nullptr ? wrong_with(*pool_cfg) : "the configuration is a null pointer") {
            return refuse_call(EM_ERR_BAD_ARG, scope, "em_pool_create: %s", wrong);
        }
        number = em.add_pool(name, number_of(pool), *pool_cfg);
        return number != 0
                   ? em_status_t{EM_OK}
                   : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                 pool != EM_POOL_UNDEF ? "em_pool_create: the handle is no pool's (1 to %zu), or taken"
                                                       : "em_pool_create: there are %zu pools already",
                                 event_machine::most_pools);
    }));
    return handle_of<em_pool_t>(number);
}

em_status_t em_pool_delete(em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_POOL_DELETE;
    return with_machine("em_pool_delete", scope, [&](event_machine& em) -> em_status_t {
        if (em.pool(pool) == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "em_pool_delete: there is no pool %p", static_cast<void*>(pool));
        }
        const std::size_t used = em.remove_pool(number_of(pool));
        return used == 0 ? em_status_t{EM_OK}
                         : refuse_call(EM_ERR_NOT_FREE, scope, "em_pool_delete: %zu events are in use", used);
    });
}

em_event_t em_alloc(uint32_t size, em_event_type_t type, em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_ALLOC;
    event* e = nullptr;
    static_cast<void>(with_machine("em_alloc", scope, [&](event_machine& em) -> em_status_t {
        event_pool* const from = em.pool(pool);
        if (from == nullptr) {
            return refuse_call(EM_ERR_BAD_ID, scope, "em_alloc: there is no pool %p", static_cast<void*>(pool));
        }
        if (const em_event_type_t major = em_get_type_major(type);
            major != EM_EVENT_TYPE_SW && (major != EM_EVENT_TYPE_PACKET || from->type() != EM_EVENT_TYPE_PACKET)) {
            return refuse_call(EM_ERR_BAD_TYPE, scope, "em_alloc: pool '%s' has no events of type 0x%x", from->name(),
                               type);
        }
        if (size > from->largest()) {
            return refuse_call(EM_ERR_TOO_LARGE, scope,
                               "em_alloc: the largest events of pool '%s' have %u bytes, not %u", from->name(),
                               from->largest(), size);
        }
        e = from->take(size, type);
        return e != nullptr ? em_status_t{EM_OK}
                            : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                          "em_alloc: no event of %u bytes is free in pool '%s'", size, from->name());
    }));
    if (e == nullptr) {
        return EM_EVENT_UNDEF;
    }
    const em_event_t handle = e->handle();
    tell_allocated(std::span(&handle, 1), 1, size, type, pool);
    return handle;
}

void em_free(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_FREE, "em_free: no event"));
        return;
    }
    tell_freed(std::span(&handle, 1));
    event& e = *event::of(handle);
    e.pool->give(e);
}

void* em_event_pointer(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_POINTER, "em_event_pointer: no event"));
        return nullptr;
    }
    return event::of(handle)->bytes();
}

uint32_t em_event_get_size(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_GET_SIZE, "em_event_get_size: no event"));
        return 0;
    }
    return event::of(handle)->size;
}

em_event_type_t em_event_get_type(em_event_t handle) {
    if (handle == EM_EVENT_UNDEF) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, EM_ESCOPE_EVENT_GET_TYPE, "em_event_get_type: no event"));
        return EM_EVENT_TYPE_UNDEF;
    }
    return event::of(handle)->type;
}
