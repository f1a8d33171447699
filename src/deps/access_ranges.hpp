// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bytes that accesses name, as sets.
//
// Thread safety: one thread at a time for each set. A region's extents are those of the moment; who asks may read it.

#include <cstddef>
#include <cstdint>

#include <skerry/detail/core/access.hpp>

#include "coherence/extents.hpp"
#include "deps/byte_ranges.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// Calls f(first byte, bytes) for each piece of memory that the access names, also those of a region.
template <class F>
void for_each_range(const access& a, F f) {
    if (a.kind != access_kind::region) {
        for_each_run(a, f);
    } else {
        for_each_extent(region_id{a.first}, true, [&](const std::byte* first, std::size_t bytes) {
            f(reinterpret_cast<std::uintptr_t>(first), bytes);
        });
    }
}

// Errors: std::bad_alloc.
inline void insert(byte_ranges& to, const access& a) {
    for_each_range(a, [&to](std::uintptr_t first, std::size_t bytes) { to.insert(first, bytes); });
}
inline void erase(byte_ranges& from, const access& a) {
    for_each_range(a, [&from](std::uintptr_t first, std::size_t bytes) { from.erase(first, bytes); });
}

// What the accesses name and none of them writes; with `ranges`, that, too, but for what they write of it. Errors:
// std::bad_alloc.
template <class Accesses>
byte_ranges only_read(const Accesses& all, byte_ranges ranges = {}) {
    for (const access& a : all) {
        if (!writes(a.mode)) {
            insert(ranges, a);
        }
    }
    for (const access& a : all) {
        if (writes(a.mode)) {
            erase(ranges, a);
        }
    }
    return ranges;
}

} // namespace skerry::inline SKERRY_ABI::detail
