// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Names on standard error, at the first call of a process, each variable that begins with SKERRY_ and means nothing: it
// is misspelt, most likely. A process that was launched leaves that to its launcher. Thread safety: any thread, as long
// as nobody changes the environment.
void name_unknown_variables() noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
