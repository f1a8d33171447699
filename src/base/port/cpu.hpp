// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the code above may know about the core that it runs on. Thread safety: any thread, any time.

#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/base/port/pause.hpp>

namespace skerry::inline SKERRY_ABI::port {

using detail::cache_line;
using detail::pause;

} // namespace skerry::inline SKERRY_ABI::port
