// SPDX-License-Identifier: Apache-2.0
#pragma once

// Regions as memory: what a transfer of a whole region has to move, and what lies at an address.
//
// Thread safety: any thread. An answer is of one moment; it stays true for whoever has the region as an access, since
// nobody else may make or destroy objects there then.

#include <cstddef>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

#include "coherence/page_source.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct extent {
    std::byte* first = nullptr;
    std::size_t bytes = 0;
    friend bool operator==(const extent&, const extent&) = default;
};

// The slabs in which something lies, by address, adjacent ones as one. Exactly the live objects' slabs: a region of
// many objects is a few extents. `recursive`: with the regions within. Empty if the region is not there. Errors:
// std::bad_alloc.
[[nodiscard]] std::vector<extent> extents_of(region_id id, bool recursive);

template <class F>
void for_each_extent(region_id id, bool recursive, F f) {
    for (const extent& e : extents_of(id, recursive)) {
        f(e.first, e.bytes);
    }
}

// The pages of one region, by address. Errors: std::bad_alloc.
[[nodiscard]] std::vector<page_range> pages_of(region_id id);

// The region that an address lies in; `none` outside the arena and in pages that are nobody's. Takes no lock.
[[nodiscard]] region_id region_of(const void* address) noexcept;

// The memory of the live object (or array, or container's memory) around an address, as much as was set aside for it;
// nothing if there is none, or if somebody is in the region at this moment. Async-signal-safe: it does not wait.
[[nodiscard]] extent try_block_around(const void* address) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
