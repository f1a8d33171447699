// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Two fields that different threads write stand this many bytes apart. std::hardware_destructive_interference_size is
// not used: its value may change with the compiler's flags, and layouts here are part of the ABI.
inline constexpr std::size_t cache_line = 64;

} // namespace skerry::inline SKERRY_ABI::detail
