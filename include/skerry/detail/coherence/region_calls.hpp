// SPDX-License-Identifier: Apache-2.0
#pragma once

// What region.hpp calls in the library: memory without types. `what` in the texts of exceptions is the caller's call.
//
// Thread safety: any thread, except as region.hpp says of destroy_all.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/export.hpp>
#include <skerry/detail/core/region_id.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// The greatest alignment of an object in a region: that of a page, so that it is the same in every process.
inline constexpr std::size_t greatest_alignment = std::size_t{1} << 20;

// Runs the destructors of `count` objects from `first` on, the last one first.
using destroyer = void (*)(void* first, std::size_t count) noexcept;

// A new region within `parent`. Errors: std::logic_error (no such parent), std::bad_alloc.
SKERRY_EXPORT region_id create_region(region_id parent, int level);
// A region within none, for a runtime's root. Errors: std::bad_alloc.
SKERRY_EXPORT region_id create_root_region();
// Destroys that region for good, with all within.
SKERRY_EXPORT void end_root_region(region_id id) noexcept;
// Destroys the regions within, then the objects, the newest first; then the region, unless it is the root.
// Errors: std::logic_error (no such region, or somebody is about it already).
SKERRY_EXPORT void destroy_region(region_id id);
[[nodiscard]] SKERRY_EXPORT bool region_exists(region_id id) noexcept;

// Memory of a region, not an object yet. Errors: std::logic_error (no such region), std::bad_alloc, std::system_error
// (no address space).
[[nodiscard]] SKERRY_EXPORT void* take_memory(region_id id, std::size_t bytes, std::size_t alignment, const char* what);
// The same, with room to note a destructor. Ends with keep_object() or give_memory().
[[nodiscard]] SKERRY_EXPORT void* take_object(region_id id, std::size_t bytes, std::size_t alignment, const char* what);
// The objects are made: their destructors run with the region's, if nobody destroys them before.
SKERRY_EXPORT void keep_object(region_id id, void* first, std::size_t count, destroyer destroy) noexcept;
// Takes the memory back. Nothing if the region is gone: it took the memory along. Ends the process if the memory is not
// the region's.
SKERRY_EXPORT void give_memory(region_id id, void* first) noexcept;
// Runs the destructors noted for what begins at `first`, and takes the memory back. `noted`: there must be some.
// Errors: std::logic_error (no such region), std::invalid_argument (no object of the region begins there).
SKERRY_EXPORT void destroy_object(region_id id, void* first, bool noted);

} // namespace skerry::inline SKERRY_ABI::detail
