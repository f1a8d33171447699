// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// From how many names on a table looks for those that it can use again before it grows. They take about 2.5 MB. What is
// used again and again without a wait, and is less, stays known.
constexpr std::size_t names_kept() noexcept { return std::size_t{1} << 14; }

} // namespace skerry::inline SKERRY_ABI::detail
