// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a pool shows of itself. Thread safety: any thread.

#include "frontend/event/refuse.hpp"

namespace skerry::inline SKERRY_ABI::detail {

[[nodiscard]] em_pool_subpool_stats_selected_t only(const em_pool_subpool_stats_selected_t& of,
                                                    em_pool_stats_opt_t which) noexcept;
[[nodiscard]] em_pool_info_t info_of(event_pool& p) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
