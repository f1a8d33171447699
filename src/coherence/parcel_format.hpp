// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a parcel says, and its form as bytes.
//
// | part    | fields                                                                                            |
// |---------|---------------------------------------------------------------------------------------------------|
// | head    | magic, version, sum of all after it, arena's address and bytes, handing                           |
// | above   | count; from the outermost region inwards: id, level                                               |
// | top     | id, whether it is gone                                                                            |
// | regions | count; each after its parent: id, parent's place in the list, level, whether whole, count of      |
// |         | pages, count of records                                                                           |
// | page    | number, pages, bytes of its one object or 0, count of slabs                                       |
// | slab    | index, use, class, slabs of the run; of blocks the four words of free bits                        |
// | record  | first address, count, offset of the destructor; the oldest first                                  |
//
// Every number is eight bytes, in the byte order of the machine: processes of one program on one machine.
//
// Thread safety: one thread per object.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

#include "coherence/parcel.hpp"

namespace skerry::inline SKERRY_ABI::detail {

struct packed_slab {
    std::uint64_t index = 0;
    std::uint64_t use = 0;
    std::uint64_t size_class = 0;
    std::uint64_t run = 0;
    std::array<std::uint64_t, 4> free{};
};

struct packed_page {
    std::uint64_t number = 0;
    std::uint64_t pages = 0;
    std::uint64_t bytes = 0;
    std::vector<packed_slab> slabs;
};

struct packed_record {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint64_t destructor = 0;
};

struct packed_region {
    region_id id = region_id::none;
    std::uint64_t parent = 0; // place in the list; the first one's is of no meaning
    std::int64_t level = 0;
    bool whole = false; // else only its name crosses
    std::vector<packed_page> pages;
    std::vector<packed_record> records;
};

struct packed_name {
    region_id id = region_id::none;
    std::int64_t level = 0;
};

struct parcel {
    std::uint64_t arena_address = 0;
    std::uint64_t arena_bytes = 0;
    handing how = handing::over;
    std::vector<packed_name> above; // the outermost first
    region_id top = region_id::none;
    bool gone = false;                  // then there are no regions
    std::vector<packed_region> regions; // top first, each after its parent
};

// Errors: std::bad_alloc.
[[nodiscard]] std::vector<std::byte> to_bytes(const parcel& p);
// What is returned has the form of a parcel, for the arena given: ids differ, pages lie in it and do not overlap, slabs
// fit. Errors: std::invalid_argument says what is wrong; std::bad_alloc.
[[nodiscard]] parcel from_bytes(std::span<const std::byte> bytes, std::uint64_t arena_address,
                                std::uint64_t arena_bytes);

// Of the bytes behind the sum.
[[nodiscard]] std::uint64_t sum_of(std::span<const std::byte> bytes) noexcept;
inline constexpr std::size_t sum_at = 16; // where it stands; what it covers begins behind it

} // namespace skerry::inline SKERRY_ABI::detail
