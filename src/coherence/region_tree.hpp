// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of regions: who lies in whom.
//
// Thread safety: any thread. What is asked about regions that are destroyed meanwhile has no meaning, and does no harm.

#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

#include "coherence/region_state.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Errors: std::logic_error says that region::`what` met a region that is not there.
region_state& find_region(region_id id, const char* what);

// With the lock held: the state is still that region's, and no other process writes it; usable: and it is not going.
// Errors: as find_region.
void check_present(const region_state& s, region_id id, const char* what);
void check_usable(const region_state& s, region_id id, const char* what);

// Whether `inner` is `outer` or lies in it, at any depth. False if one of them is not there.
// Complexity: the difference of their depths.
[[nodiscard]] bool lies_within(region_id inner, region_id outer) noexcept;

// The region that it lies in; `none` if it is a root, or not there.
[[nodiscard]] region_id region_above(region_id id) noexcept;

// The region and all within, each before its children. Empty if it is not there. Errors: std::bad_alloc.
[[nodiscard]] std::vector<region_id> subtree(region_id id);

// What another process has said of regions (parcel.hpp). Nobody else uses these regions meanwhile.
//
// A region that no state has yet: it is away, and empty. `s` is its state, and holds none.
void place_region(region_state& s, region_id id, region_state* parent, int level) noexcept;
// The region's pages, linked by `next`, which are not in it any more, and nothing is noted.
[[nodiscard]] page* take_content(region_state& s) noexcept;
// The same, and the pages are other processes' matter.
void forget_content(region_state& s) noexcept;
// This process knows nothing more of the region and those within; no destructor runs, no page is given back.
void forget_region(region_state& top) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
