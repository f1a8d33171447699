// SPDX-License-Identifier: Apache-2.0
#pragma once

// Advice about memory that is there already. It covers the whole pages in [begin, begin + size).
//
// Thread safety: any thread. Errors: none, and errno stays as it is.

#include <cstddef>

#include <skerry/detail/base/abi.hpp>

namespace skerry::inline SKERRY_ABI::port {

// Tells the system that large pages would serve fresh memory well. Touching 40 MB for the first time takes a third of
// the time then. It is a hint: it changes no content, and nothing follows if the system declines.
void ask_for_large_pages(void* begin, std::size_t size) noexcept;

// Until it is written again, the system may take the memory for something else: what it holds is undefined from here
// on. Memory that was not taken costs no fault when it is written. False, and nothing done, if the system cannot do
// that, or not with this memory (it is locked, or in pages of hugetlbfs).
bool let_contents_go(void* begin, std::size_t size) noexcept;

} // namespace skerry::inline SKERRY_ABI::port
