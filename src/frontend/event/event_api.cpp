// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that make events and free them.

#include <span>

#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

bool may_have(const char* function, em_escope_t scope, const event_pool& from, std::uint32_t size,
              em_event_type_t type) noexcept {
    if (em_get_type_major(type) == EM_EVENT_TYPE_VECTOR) {
        static_cast<void>(
            refuse_call(EM_ERR_NOT_IMPLEMENTED, scope, "%s: vectors of events are not there yet", function));
        return false;
    }
    if (!from.has_type(type)) {
        static_cast<void>(refuse_call(EM_ERR_BAD_TYPE, scope, "%s: pool '%s' has no events of type 0x%x", function,
                                      from.name.data(), type));
        return false;
    }
    if (size > from.largest()) {
        static_cast<void>(refuse_call(EM_ERR_TOO_LARGE, scope,
                                      "%s: the largest events of pool '%s' have %u bytes, not %u", function,
                                      from.name.data(), from.largest(), size));
        return false;
    }
    return true;
}

namespace {

void free_one(event_call call, em_escope_t scope, em_event_t handle) noexcept {
    if (the_event_hooks.any(hook::free)) [[unlikely]] { // which see it while it is the caller's
        if (owned(name_of(call), scope, handle) == nullptr) {
            return;
        }
        tell_freed(std::span(&handle, 1));
    }
    giving_away giving;
    em_status_t status = EM_OK;
    if (event* const e = given_away(call, scope, handle, giving, status)) {
        e->pool->give(*e);
    }
}

event* take(event_call call, event_pool& from, std::uint32_t size, em_event_type_t type) noexcept {
    event* const e = from.take(size, type);
    if (e != nullptr && verifies()) {
        e->state.note(call);
    }
    return e;
}

} // namespace

event* allocate(event_call call, em_escope_t scope, event_pool& from, std::uint32_t size,
                em_event_type_t type) noexcept {
    if (!may_have(name_of(call), scope, from, size, type)) {
        return nullptr;
    }
    event* const e = take(call, from, size, type);
    if (e == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: no event of %u bytes is free in pool '%s'",
                                      name_of(call), size, from.name.data()));
    } else if (the_event_hooks.any(hook::alloc)) [[unlikely]] {
        const em_event_t handle = e->handle();
        tell_allocated(std::span(&handle, 1), 1, size, type, from.handle);
    }
    return e;
}

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_event_t em_alloc(uint32_t size, em_event_type_t type, em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_ALLOC;
    event* e = nullptr;
    static_cast<void>(with_pool("em_alloc", scope, pool, [&](event_machine&, event_pool& from) -> em_status_t {
        e = allocate(event_call::alloc, scope, from, size, type);
        return EM_OK;
    }));
    return e != nullptr ? e->handle() : EM_EVENT_UNDEF;
}

int em_alloc_multi(em_event_t events[], int num, uint32_t size, em_event_type_t type, em_pool_t pool) {
    constexpr em_escope_t scope = EM_ESCOPE_ALLOC_MULTI;
    int made = 0;
    static_cast<void>(with_pool("em_alloc_multi", scope, pool, [&](event_machine&, event_pool& from) -> em_status_t {
        if (!is_table("em_alloc_multi", scope, events, num) || !may_have("em_alloc_multi", scope, from, size, type)) {
            return EM_OK;
        }
        for (; made < num; ++made) {
            event* const e = take(event_call::alloc_multi, from, size, type);
            if (e == nullptr) {
                break;
            }
            events[made] = e->handle();
        }
        if (made != 0) {
            tell_allocated(std::span(events, static_cast<std::size_t>(made)), num, size, type, pool);
        }
        return made == num ? em_status_t{EM_OK}
                           : refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                         "em_alloc_multi: %d events of %u bytes were free in pool '%s', not %d", made,
                                         size, from.name.data(), num);
    }));
    return made;
}

void em_free(em_event_t event) { free_one(event_call::free, EM_ESCOPE_FREE, event); }

void em_free_multi(em_event_t events[], int num) {
    constexpr em_escope_t scope = EM_ESCOPE_FREE_MULTI;
    if (is_table("em_free_multi", scope, events, num)) {
        for (const em_event_t e : std::span(events, static_cast<std::size_t>(num))) {
            free_one(event_call::free_multi, scope, e);
        }
    }
}
