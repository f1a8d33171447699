// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// Tells the system that large pages would serve fresh memory at [begin, begin + size) well. Touching 40 MB for the
// first time takes a third of the time then. It is a hint: it changes no content, and nothing follows if the system
// declines. Any thread.
SKERRY_EXPORT void ask_for_large_pages(void* begin, std::size_t size) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
