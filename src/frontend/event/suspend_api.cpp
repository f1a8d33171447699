// SPDX-License-Identifier: Apache-2.0

// Of skerry/event.h: the functions of co-operative dispatch.

#include <skerry/event.h>

#include "frontend/event/refuse.hpp"
#include "frontend/event/suspension.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// Null: the calling receive function may be suspended. Else why not.
const char* wrong_with_suspend(const event_machine& em) noexcept {
    const event_thread& self = this_event_thread;
    if (self.frame == nullptr) {
        return current_page != nullptr && em.core_that_waits_for(current_page->ctx) >= 0
                   ? "inside of a task"
                   : "outside of a receive function";
    }
    if (self.received == EM_EVENT_UNDEF) {
        return "the receive function has received several events at once (em_eo_create_multircv)";
    }
    const root_frame::activity state = current_page == self.page ? self.frame->state() : root_frame::activity::inside;
    if (state == root_frame::activity::inside) {
        return "inside of a construct: a finish, a loop, a fork, a task, blocking() or run()";
    }
    if (state == root_frame::activity::begun) {
        return "the receive function has begun tasks that have not ended; wait for them before";
    }
    if (em.fibers(self.core)->outside != self.frame->ctx.parent) {
        return "em_dispatch() was called inside of a construct";
    }
    return nullptr;
}

// The received event is the caller's still.
bool owns(em_event_t received, em_escope_t scope, em_status_t& status) noexcept {
    event& e = *event::of(received);
    if (!verifies() || e.state.is(event::generation_of(received))) {
        return true;
    }
    status = tell_not_owned("skerry_em_suspend", scope, e);
    return false;
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_status_t skerry_em_suspend() {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_SUSPEND;
    return with_machine("skerry_em_suspend", scope, [](event_machine& em) -> em_status_t {
        if (em.options().cooperative == 0) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "skerry_em_suspend: the option cooperative is off");
        }
        if (const char* const wrong = wrong_with_suspend(em)) {
            return refuse_call(EM_ERR_BAD_CONTEXT, scope, "skerry_em_suspend: %s", wrong);
        }
        em_status_t status = EM_OK;
        const em_event_t event = this_event_thread.received;
        if (!owns(event, scope, status)) {
            return status;
        }
        switch (em.suspend()) {
        case event_machine::suspended::too_many:
            return refuse_call(EM_ERR_ALLOC_FAILED, scope,
                               "skerry_em_suspend: %u receive functions are suspended already; raise suspended_max of "
                               "skerry_em_options_t or SKERRY_EM_SUSPENDED_MAX",
                               em.options().suspended_max);
        case event_machine::suspended::no_memory:
            return refuse_call(EM_ERR_ALLOC_FAILED, scope,
                               "skerry_em_suspend: there is no memory for one more stack of %zu bytes",
                               em.options().stack_size);
        case event_machine::suspended::yes: break;
        }
        static_cast<void>(owns(event, scope, status));
        return status;
    });
}

em_status_t skerry_em_resume(em_event_t event) {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_RESUME;
    return with_machine("skerry_em_resume", scope, [&](event_machine& em) -> em_status_t {
        if (em.options().cooperative == 0) {
            return refuse_call(EM_ERR_BAD_STATE, scope, "skerry_em_resume: the option cooperative is off");
        }
        if (event == EM_EVENT_UNDEF) {
            return refuse_call(EM_ERR_BAD_ARG, scope, "skerry_em_resume: no event");
        }
        switch (em.resume(event)) {
        case event_machine::resumed::before:
            return refuse_call(
                EM_ERR_BAD_STATE, scope,
                "skerry_em_resume: event %p was resumed before, and its receive function has not gone on",
                static_cast<void*>(event));
        case event_machine::resumed::nobody:
            return refuse_call(EM_ERR_NOT_FOUND, scope,
                               "skerry_em_resume: no receive function that runs or is suspended has received event %p",
                               static_cast<void*>(event));
        case event_machine::resumed::yes: break;
        }
        return EM_OK;
    });
}
