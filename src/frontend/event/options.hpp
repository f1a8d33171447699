// SPDX-License-Identifier: Apache-2.0
#pragma once

// The options of the event machine. Thread safety: any thread.

#include <skerry/event.h>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Those of the next em_init(). False: it was said what is wrong, and `status` is what was made of it.
[[nodiscard]] bool next_options(const char* function, em_escope_t scope, skerry_em_options_t& options,
                                em_status_t& status) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
