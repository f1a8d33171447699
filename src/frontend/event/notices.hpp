// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions that are over later have in common. Thread safety: any thread.

#include <vector>

#include <event_machine/api/event_machine_types.h>

#include <skerry/detail/base/abi.hpp>

#include "frontend/event/queue.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Errors: std::bad_alloc. False: it was said what is wrong, and `status` is what the function shall return.
[[nodiscard]] bool copy_notices(const char* function, em_escope_t scope, int count, const em_notif_t* table,
                                std::vector<notice>& to, em_status_t& status);

// A function that waits for other cores may not be called where they may wait for this one. False: as above.
[[nodiscard]] bool may_wait(const char* function, em_escope_t scope, em_status_t& status) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
