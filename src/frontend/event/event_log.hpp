// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where what the event machine has to say goes: the program's log function, or the standard streams.
//
// Thread safety: any thread.

#include <event_machine/platform/event_machine_hw_types.h>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

void log_events_by(em_log_func_t function) noexcept; // null: by nothing of the program's
void log_events(em_log_level_t level, const char* text) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
