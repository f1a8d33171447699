// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions of event_machine.h have in common: they look at what they are given, and say what is wrong.
//
// Thread safety: any thread.

#include <cstdint>
#include <new>

#include <event_machine.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_machine.hpp"

namespace skerry::inline SKERRY_ABI::detail {

inline constexpr std::uint32_t initialised = 0x534b6d21; // what the functions ..._init() leave in what they initialise

template <class... Values>
em_status_t refuse_call(em_status_t error, em_escope_t scope, const char* format, Values... values) noexcept {
    return event_error(error, scope, format, values...);
}

// Calls f(machine), or says that there is none; and that there is no memory if f finds none.
template <class F>
em_status_t with_machine(const char* function, em_escope_t scope, F&& f) noexcept {
    event_machine* const em = event_machine::instance();
    if (em == nullptr) {
        return refuse_call(EM_ERR_NOT_INITIALIZED, scope, "%s: em_init() was not called", function);
    }
    try {
        return f(*em);
    } catch (const std::bad_alloc&) {
        return refuse_call(EM_ERR_ALLOC_FAILED, scope, "%s: there is no memory", function);
    }
}

// The same for what a handle stands for.
template <class F>
em_status_t with_queue(const char* function, em_escope_t scope, em_queue_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        event_queue* const q = em.queue(handle);
        return q != nullptr ? f(em, *q)
                            : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue %p", function,
                                          static_cast<void*>(handle));
    });
}

template <class F>
em_status_t with_object(const char* function, em_escope_t scope, em_eo_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        execution_object* const eo = em.object(handle);
        return eo != nullptr ? f(em, *eo)
                             : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no execution object %p", function,
                                           static_cast<void*>(handle));
    });
}

template <class F>
em_status_t with_group(const char* function, em_escope_t scope, em_queue_group_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        queue_group* const g = em.group(handle);
        return g != nullptr ? f(em, *g)
                            : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no queue group %p", function,
                                          static_cast<void*>(handle));
    });
}

template <class F>
em_status_t with_atomics(const char* function, em_escope_t scope, em_atomic_group_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        atomic_group* const a = em.atomics(handle);
        return a != nullptr ? f(em, *a)
                            : refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no atomic group %p", function,
                                          static_cast<void*>(handle));
    });
}

inline em_status_t refuse_no_pool(const char* function, em_escope_t scope, em_pool_t handle) noexcept {
    return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no pool %p", function, static_cast<void*>(handle));
}

template <class F>
em_status_t with_pool(const char* function, em_escope_t scope, em_pool_t handle, F&& f) noexcept {
    return with_machine(function, scope, [&](event_machine& em) -> em_status_t {
        event_pool* const p = em.pool(handle);
        return p != nullptr ? f(em, *p) : refuse_no_pool(function, scope, handle);
    });
}

// The same for the caller's event: null, and it was said what is wrong; `status` is what was made of it.
inline event* owned(const char* function, em_escope_t scope, em_event_t handle, em_status_t& status) noexcept {
    if (handle == EM_EVENT_UNDEF) {
        status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: no event", function);
        return nullptr;
    }
    event* const e = event::of(handle);
    if (verifies() && !e->state.is(event::generation_of(handle))) [[unlikely]] {
        status = tell_not_owned(function, scope, *e);
        return nullptr;
    }
    return e;
}
inline event* owned(const char* function, em_escope_t scope, em_event_t handle) noexcept {
    em_status_t status = EM_OK;
    return owned(function, scope, handle, status);
}

// The same for one that the caller gives away: it is the caller's no longer, unless giving.take_back() is called.
inline event* given_away(event_call call, em_escope_t scope, em_event_t handle, giving_away& giving,
                         em_status_t& status, event_mark mark = event_mark::none) noexcept {
    if (handle == EM_EVENT_UNDEF) {
        status = refuse_call(EM_ERR_BAD_ARG, scope, "%s: no event", name_of(call));
        return nullptr;
    }
    event* const e = event::of(handle);
    if (!giving.begin(*e, event::generation_of(handle), call, mark)) [[unlikely]] {
        status = tell_not_owned(name_of(call), scope, *e);
        return nullptr;
    }
    return e;
}

// False: it was said that there is no table of `count`.
inline bool is_table(const char* function, em_escope_t scope, const em_event_t* table, int count) noexcept {
    if (count < 0 || (count > 0 && table == nullptr)) {
        static_cast<void>(refuse_call(EM_ERR_BAD_ARG, scope, "%s: %d events without a table", function, count));
        return false;
    }
    return true;
}

// The pool has events of that size and type, free or not. False: it was said what is wrong.
bool may_have(const char* function, em_escope_t scope, const event_pool& from, std::uint32_t size,
              em_event_type_t type) noexcept;

// An event of that size and type; null, and it was said what is wrong.
event* allocate(event_call call, em_escope_t scope, event_pool& from, std::uint32_t size,
                em_event_type_t type) noexcept;

inline em_status_t refuse_no_group(const char* function, em_escope_t scope, em_event_group_t handle) noexcept {
    return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no event group %p", function, static_cast<void*>(handle));
}

// Null: it is right.
const char* wrong_with(const em_pool_cfg_t& c) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
