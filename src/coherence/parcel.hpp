// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bookkeeping of regions as bytes, so that it crosses to another process. Contents cross apart (transfer.hpp).
//
// One process at a time writes a region: it makes and destroys there. It hands that over with a parcel: pack_region()
// marks the region and those within as away here, where every make, destroy and create is an error from then on;
// unpack_region() over there replaces whatever that process knew of them. Addresses, page numbers and ids are the same
// in all processes; destructors cross as offsets in the main program, which all processes run.
//
// Thread safety: any thread; nobody else makes or destroys in these regions meanwhile, which a write access to the
// region ensures. Readers elsewhere are not disturbed.

#include <cstddef>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

namespace skerry::inline SKERRY_ABI::detail {

enum class handing {
    over, // the receiver writes from now on
    copy, // for readers: this process goes on, the receiver finds objects and extents, and may change nothing. Of a
          // region that this process does not write it is a copy of its own copy, which is as old as that.
};

// `recursive`: with all regions within; else the receiver knows of the children only that they are there. Of a region
// that is not here any more, the parcel says that it is gone.
// Errors: std::logic_error (another process writes a region that is to be handed over, it is being destroyed, an object
// is being made or destroyed there, a destructor lies outside of the main program: the text names it), std::bad_alloc;
// nothing is changed then. Complexity: linear in slabs and in objects with destructors.
[[nodiscard]] std::vector<std::byte> pack_region(region_id id, bool recursive, handing how = handing::over);

// Whether the region is one that this process writes, as far as it has heard.
[[nodiscard]] bool written_here(region_id id) noexcept;

// Memory for the contents is there afterwards, at all pages that the regions use. Regions within that are not in the
// parcel are forgotten: their destructors have run elsewhere.
// Errors: std::invalid_argument (these bytes are no parcel of this program, or are damaged), std::logic_error (this
// process writes one of the regions, or uses one of the pages), std::bad_alloc, std::system_error (no arena); nothing
// is changed then. Complexity: as pack_region.
void unpack_region(std::span<const std::byte> parcel);

} // namespace skerry::inline SKERRY_ABI::detail
