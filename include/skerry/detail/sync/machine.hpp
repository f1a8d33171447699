// SPDX-License-Identifier: Apache-2.0
#pragma once

// The policy that this build of Skerry runs on. The inline namespace names it too, so objects of two policies do not
// link together.

#ifdef SKERRY_MACHINE_SIM
#include <skerry/detail/sync/sim.hpp>
#else
#include <skerry/detail/sync/native.hpp>
#endif

namespace skerry::inline SKERRY_ABI::detail {

#ifdef SKERRY_MACHINE_SIM
using machine = sim;
#else
using machine = native;
#endif

} // namespace skerry::inline SKERRY_ABI::detail
