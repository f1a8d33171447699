// SPDX-License-Identifier: Apache-2.0

// The functions of event_machine.h that make events, and give them to others.

#include <span>

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
                                      from.name(), type));
        return false;
    }
    if (size > from.largest()) {
        static_cast<void>(refuse_call(EM_ERR_TOO_LARGE, scope,
                                      "%s: the largest events of pool '%s' have %u bytes, not %u", function,
                                      from.name(), from.largest(), size));
        return false;
    }
    return true;
}

namespace {

// False: it was said what is wrong, and `status` is what the handler of errors has made of it. Errors: std::bad_alloc.
bool send(event_call call, em_escope_t scope, event_machine& em, em_event_t handle, em_queue_t queue,
          em_status_t& status) {
    giving_away giving;
    const auto reject = [&](em_status_t error, const char* format) {
        giving.take_back();
        status = refuse_call(error, scope, format, name_of(call), static_cast<void*>(queue));
        return false;
    };
    constexpr const char* no_queue = "%s: there is no queue %p";
    if (em.queue(queue) == nullptr) { // or it is removed from here on, before the lock
        return reject(EM_ERR_BAD_ID, no_queue);
    }
    event* const e = given_away(call, scope, handle, giving, status);
    if (e == nullptr) {
        return false;
    }
    if (this_event_thread.until_started != nullptr) {
        try {
            this_event_thread.until_started->push_back({e, queue});
        } catch (...) {
            giving.take_back();
            throw;
        }
        return true;
    }
    switch (em.send(*e, queue)) {
    case event_machine::sent::yes: return true;
    case event_machine::sent::no_queue: return reject(EM_ERR_BAD_ID, no_queue);
    case event_machine::sent::full:
        return reject(EM_ERR_OPERATION_FAILED, "%s: queue %p holds as many events as it may");
    case event_machine::sent::not_open: break;
    }
    return reject(EM_ERR_BAD_STATE, "%s: no execution object receives from queue %p now");
}

void free_one(event_call call, em_escope_t scope, em_event_t handle) noexcept {
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
                                      name_of(call), size, from.name()));
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
                return refuse_call(EM_ERR_ALLOC_FAILED, scope,
                                   "em_alloc_multi: %d events of %u bytes were free in pool '%s', not %d", made, size,
                                   from.name(), num);
            }
            events[made] = e->handle();
        }
        return EM_OK;
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

em_status_t em_send(em_event_t event, em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_SEND;
    return with_machine("em_send", scope, [&](event_machine& em) -> em_status_t {
        em_status_t status = EM_OK;
        static_cast<void>(send(event_call::send, scope, em, event, queue, status));
        return status;
    });
}

int em_send_multi(const em_event_t events[], int num, em_queue_t queue) {
    constexpr em_escope_t scope = EM_ESCOPE_SEND_MULTI;
    int sent = 0;
    static_cast<void>(with_machine("em_send_multi", scope, [&](event_machine& em) -> em_status_t {
        em_status_t status = EM_OK;
        if (is_table("em_send_multi", scope, events, num)) {
            while (sent < num && send(event_call::send_multi, scope, em, events[sent], queue, status)) {
                ++sent;
            }
        }
        return status;
    }));
    return sent;
}
