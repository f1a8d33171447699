// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/runtime.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Options with every "automatic" decided for this process. Errors: std::invalid_argument names the option and what is
// accepted; std::system_error if asymmetric steals were asked for and the kernel refuses them.
options resolve(options o);

} // namespace skerry::inline SKERRY_ABI::detail
