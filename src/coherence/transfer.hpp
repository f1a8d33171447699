// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contents on a `copied` edge: which bytes a declared access moves, as one list for one copy of the fabric.
//
// Thread safety: any thread. The lists hold as long as nobody else makes or destroys in these regions, which an access
// ensures.

#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

#include "coherence/extents.hpp"
#include "fabric/fabric.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// The bytes of these regions with all within, and of these objects: sorted, each byte once, what touches joined, so
// that objects beside each other and in their region cost nothing more. Here and there are the same addresses. Bytes
// that were not declared are never in it: another task may be writing them. (A region's slabs are its own, also where
// no object lies.) With AddressSanitizer, what is in it may be touched from then on. Errors: std::bad_alloc.
[[nodiscard]] std::vector<fabric::extent> transfer_list(std::span<const region_id> regions,
                                                        std::span<const extent> objects);

// Memory for contents of objects whose regions are another process's, for who only reads or writes those objects; an
// unpacked region has it. Errors: std::invalid_argument (outside of the arena), std::bad_alloc.
void open_for(std::span<const fabric::extent> contents);

} // namespace skerry::inline SKERRY_ABI::detail
