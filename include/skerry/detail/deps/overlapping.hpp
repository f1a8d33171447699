// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/access.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Whether two names stand for memory in common. Precondition: neither names nothing.
// Thread safety: any thread. Complexity: the depth of regions.
[[nodiscard]] SKERRY_EXPORT bool overlapping(const access& a, const access& b) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
