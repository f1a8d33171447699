// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <event_machine/platform/event_machine_hw_types.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/group_tag.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_pool;

// The timeout by which a timer has sent an event, or will.
struct timeout_note {
    std::uint32_t number = 0; // from 1; 0: none
    bool periodic = false;
};

// What stands in front of an event's bytes. Its handle is its address.
//
// Thread safety: the event's owner; while it lies in a queue or is free, whoever holds the lock of that.
struct event {
    event* next = nullptr; // in the queue, or among the free ones
    event_pool* pool = nullptr;
    std::uint32_t size = 0; // bytes that were asked for
    em_event_type_t type = EM_EVENT_TYPE_UNDEF;
    unsigned subpool = 0;
    group_tag group;      // what it counts for; none but in a queue
    timeout_note timeout; // until it is freed

    static constexpr std::size_t alignment = 64;
    // So that what follows is aligned, too.
    static constexpr std::size_t header_bytes = alignment;

    static event* of(em_event_t handle) noexcept { return reinterpret_cast<event*>(handle); }
    [[nodiscard]] em_event_t handle() noexcept { return reinterpret_cast<em_event_t>(this); }
    // Nothing is left of what it was for. Whoever frees it calls this.
    void forget() noexcept {
        group = {};
        timeout = {};
    }
    [[nodiscard]] void* bytes() noexcept { return reinterpret_cast<std::byte*>(this) + header_bytes; }
};

static_assert(sizeof(event) <= event::header_bytes);

} // namespace skerry::inline SKERRY_ABI::detail
