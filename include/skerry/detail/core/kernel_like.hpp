// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What SKERRY_KERNEL declares. Loops know a kernel by this, without its header.
template <class K>
concept kernel_like = requires { typename K::skerry_kernel; };

} // namespace skerry::inline SKERRY_ABI::detail
