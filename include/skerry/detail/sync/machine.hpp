// SPDX-License-Identifier: Apache-2.0
#pragma once

// The policy that this build of Skerry runs on. The inline namespace names it too, so objects of two policies do not
// link together.

#include <skerry/detail/sync/native.hpp>

namespace skerry::inline SKERRY_ABI::detail {

using machine = native;

} // namespace skerry::inline SKERRY_ABI::detail
