// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <event_machine/platform/event_machine_hw_types.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/event_state.hpp"
#include "frontend/event/group_tag.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class event_pool;
struct event_queue;

// The timeout by which a timer has sent an event, or will.
struct timeout_note {
    std::uint32_t number = 0; // from 1; 0: none
    bool periodic = false;
};

// What stands in front of an event's user area, its headroom and its payload. Its handle is its address, and above that
// its generation (event_state.hpp), which is 0 without verification.
//
// Thread safety: the event's owner; while it lies in a queue or is free, whoever holds the lock of that. state: any
// thread.
struct event {
    event* next = nullptr;      // in the queue, or among the free ones
    event_pool* pool = nullptr; // constant
    event_queue* to = nullptr;  // while it waits at a core for that queue
    std::uint32_t size = 0;     // bytes of the payload
    em_event_type_t type = EM_EVENT_TYPE_UNDEF;
    std::uint32_t begin = 0;  // of the payload: bytes from here
    std::uint8_t subpool = 0; // constant
    bool has_number = false;  // of the user area, which is the program's
    std::uint16_t number = 0;
    event_state state;
    group_tag group;      // what it counts for; none but in a queue
    timeout_note timeout; // until it is freed

    static constexpr std::size_t alignment = 64;
    // So that what follows is aligned, too.
    static constexpr std::size_t header_bytes = alignment;

    static constexpr unsigned address_bits = 64 - event_state::generation_bits; // of what the system gives programs
    static event* of(em_event_t handle) noexcept {
        return reinterpret_cast<event*>(reinterpret_cast<std::uintptr_t>(handle) &
                                        ((std::uintptr_t{1} << address_bits) - 1));
    }
    static std::uint16_t generation_of(em_event_t handle) noexcept {
        return static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(handle) >> address_bits);
    }
    [[nodiscard]] em_event_t handle() noexcept {
        return reinterpret_cast<em_event_t>(reinterpret_cast<std::uintptr_t>(this) | std::uintptr_t{state.generation()}
                                                                                         << address_bits);
    }
    [[nodiscard]] std::byte* at(std::size_t bytes) noexcept { return reinterpret_cast<std::byte*>(this) + bytes; }
    [[nodiscard]] std::byte* payload() noexcept { return at(begin); }
    [[nodiscard]] std::byte* user_area() noexcept { return at(header_bytes); }
    // Nothing is left of what it was for. Whoever frees it calls this.
    void forget() noexcept {
        group = {};
        timeout = {};
    }
};

static_assert(sizeof(event) <= event::header_bytes && sizeof(void*) == 8);

} // namespace skerry::inline SKERRY_ABI::detail
