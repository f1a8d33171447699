// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <event_machine/platform/event_machine_hw_types.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/group_tag.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_pool;

// What stands in front of an event's bytes. Its handle is its address.
//
// Thread safety: the event's owner; while it lies in a queue or is free, whoever holds the lock of that.
struct event {
    event* next = nullptr; // in the queue, or among the free ones
    event_pool* pool = nullptr;
    std::uint32_t size = 0; // bytes that were asked for
    em_event_type_t type = EM_EVENT_TYPE_UNDEF;
    unsigned subpool = 0;
    group_tag group; // what it counts for; none but in a queue

    static constexpr std::size_t alignment = 64;
    // So that what follows is aligned, too.
    static constexpr std::size_t header_bytes = alignment;

    static event* of(em_event_t handle) noexcept { return reinterpret_cast<event*>(handle); }
    [[nodiscard]] em_event_t handle() noexcept { return reinterpret_cast<em_event_t>(this); }
    [[nodiscard]] void* bytes() noexcept { return reinterpret_cast<std::byte*>(this) + header_bytes; }
};

static_assert(sizeof(event) <= event::header_bytes);

} // namespace skerry::inline SKERRY_ABI::detail
