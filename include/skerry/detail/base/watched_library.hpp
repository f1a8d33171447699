// SPDX-License-Identifier: Apache-2.0
#pragma once

// A library that ThreadSanitizer watches has the constant below, and a program that it watches asks for it: with
// another library each task would be reported as a race with who began it. Its name is what the linker says. It is read
// where a program begins, since linkers drop what is only named.

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/base/port/watched.hpp>

namespace skerry::inline SKERRY_ABI::detail {

#if defined(SKERRY_ACCESSES_ARE_WATCHED) && !defined(SKERRY_MACHINE_SIM)
extern SKERRY_EXPORT const bool
    fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers;

template <class T>
[[gnu::__used__]] inline const bool library_is_watched_by =
    fsanitize_thread_needs_a_library_built_with_it__cmake_preset_minimal_tsan__see_docs_guide_sanitizers;
template <class T>
void ask_for_watched_library() noexcept {
    static_cast<void>(&library_is_watched_by<T>);
}
#else
// Stands in templates that call the library and whose header is part of the serial elision, which needs none.
template <class T>
void ask_for_watched_library() noexcept {}
#endif

} // namespace skerry::inline SKERRY_ABI::detail
