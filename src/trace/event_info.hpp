// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/trace/events.hpp>

#include "base/panic.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What the spec says of an event; null for a number that it does not have (a record from elsewhere may hold any).
[[nodiscard]] constexpr const trace_event_info* info_of(trace_event event) noexcept {
    for (const trace_event_info& info : trace_events) {
        if (info.event == event) {
            return &info;
        }
    }
    return nullptr;
}

// Of an event that the spec has.
[[nodiscard]] inline const trace_event_info& known_info(trace_event event) noexcept {
    const trace_event_info* const info = info_of(event);
    if (info == nullptr) {
        panic("trace: the spec has no event ", static_cast<unsigned>(event));
    }
    return *info;
}

} // namespace skerry::inline SKERRY_ABI::detail
