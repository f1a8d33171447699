// SPDX-License-Identifier: Apache-2.0
#pragma once

// As skerry/detail/sched/stopping.hpp beside it.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/context.hpp>
#include <skerry/detail/sched/stopping.hpp>

namespace skerry::inline SKERRY_ABI::detail {

inline const stop_state* left_by(const context&) noexcept { return nullptr; }
inline void let_go(const stop_state*) noexcept {}

} // namespace skerry::inline SKERRY_ABI::detail
