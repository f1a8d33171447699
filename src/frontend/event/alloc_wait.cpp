// SPDX-License-Identifier: Apache-2.0

#include "frontend/event/alloc_wait.hpp"

#include <cstdint>
#include <limits>

#include "base/port/clock.hpp"
#include "frontend/event/hooks.hpp"
#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

constinit alloc_waits waiting_calls;

event_machine* alloc_waits::enter() noexcept {
    const std::lock_guard lock(lock_);
    event_machine* const em = event_machine::instance();
    inside_ += em != nullptr ? 1 : 0;
    return em;
}

void alloc_waits::leave() noexcept {
    const std::lock_guard lock(lock_);
    if (--inside_ == 0 && ending_) {
        left_.notify_all();
    }
}

void alloc_waits::end(event_machine& em) noexcept {
    {
        const std::lock_guard lock(lock_);
        event_machine::publish(nullptr); // nobody enters any more
    }
    em.each_pool([](event_pool& p) { p.end_waits(); });
    std::unique_lock lock(lock_);
    ending_ = true;
    left_.wait(lock, [this] { return inside_ == 0; });
    ending_ = false;
}

namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

em_event_t wait_for_event(event_machine& em, std::uint32_t size, em_event_type_t type, em_pool_t pool,
                          std::uint64_t timeout_ns) noexcept {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_ALLOC_WAIT;
    constexpr event_call call = event_call::alloc_wait;
    event* e = nullptr;
    event_pool* from = em.pool(pool);
    if (from != nullptr && from->has_type(type) && size <= from->largest()) {
        e = from->take(size, type, false); // as em_alloc(): nobody deletes the pool meanwhile
    }
    const bool waits = e == nullptr;
    if (waits) {
        from = em.begin_wait(pool);
    }
    if (from == nullptr) {
        static_cast<void>(
            refuse_call(EM_ERR_BAD_ID, scope, "%s: there is no pool %p", name_of(call), static_cast<void*>(pool)));
        return EM_EVENT_UNDEF;
    }
    if (waits && may_have(name_of(call), scope, *from, size, type)) {
        const std::uint64_t now = port::now_ns();
        const std::uint64_t deadline = timeout_ns < never - now ? now + timeout_ns : never;
        switch (from->take_within(size, type, deadline, e)) {
        case event_pool::waited::yes: break;
        case event_pool::waited::too_long:
            static_cast<void>(refuse_call(EM_ERR_TIMEOUT, scope,
                                          "skerry_em_alloc_wait: no event of %u bytes was free in pool '%s' in time",
                                          size, from->name.data()));
            break;
        case event_pool::waited::ended:
            static_cast<void>(
                refuse_call(EM_ERR_CANCELED, scope, "skerry_em_alloc_wait: em_term() was called meanwhile"));
            break;
        }
    }
    if (e != nullptr && verifies()) {
        e->state.note(call);
    }
    const em_event_t handle = e != nullptr ? e->handle() : EM_EVENT_UNDEF;
    if (e != nullptr) {
        tell_allocated(std::span(&handle, 1), 1, size, type, pool);
    }
    if (waits) {
        from->end_wait();
    }
    return handle;
}

} // namespace

} // namespace skerry::inline SKERRY_ABI::detail

using namespace skerry::detail;

em_event_t skerry_em_alloc_wait(uint32_t size, em_event_type_t type, em_pool_t pool, uint64_t timeout_ns) {
    constexpr em_escope_t scope = SKERRY_ESCOPE_EM_ALLOC_WAIT;
    if (this_event_thread.core >= 0) {
        static_cast<void>(refuse_call(EM_ERR_BAD_CONTEXT, scope,
                                      "skerry_em_alloc_wait: the calling thread is a core, which others may wait for"));
        return EM_EVENT_UNDEF;
    }
    event_machine* const em = waiting_calls.enter();
    if (em == nullptr) {
        static_cast<void>(refuse_call(EM_ERR_NOT_INITIALIZED, scope, "%s: em_init() was not called",
                                      name_of(event_call::alloc_wait)));
        return EM_EVENT_UNDEF;
    }
    const em_event_t e = wait_for_event(*em, size, type, pool, timeout_ns);
    waiting_calls.leave();
    return e;
}
