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

inline em_status_t refuse_no_group(const char* function, em_escope_t scope, em_event_group_t handle) noexcept {
    return refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no event group %p", function, static_cast<void*>(handle));
}

// Null: it is right.
const char* wrong_with(const em_pool_cfg_t& c) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
