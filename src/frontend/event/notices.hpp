// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions that are over later have in common: notifications, events that are sent when something is over.
//
// Thread safety: any thread.

#include <span>
#include <vector>

#include <event_machine/api/event_machine_types.h>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

struct notice {
    em_event_t event = EM_EVENT_UNDEF;
    em_queue_t queue = EM_QUEUE_UNDEF;
    em_event_group_t group = EM_EVENT_GROUP_UNDEF;
};

// Those of a program's table. False: it was said what is wrong, and `status` is what the function returns.
// Errors: std::bad_alloc. Precondition: there is an event machine.
[[nodiscard]] bool copy_notices(const char* function, em_escope_t scope, int count, const em_notif_t* table,
                                std::vector<notice>& to, em_status_t& status);

// A function that waits for other cores may not be called where they may wait for this one. False: as above.
[[nodiscard]] bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept;

// What is refused is freed: nobody else has it.
void send_notices(std::span<const notice> which) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
