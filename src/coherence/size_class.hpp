// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes: what a page, a slab and a block are, and which block an object gets.
//
// A block of 64 bytes or more begins on a cache line and fills whole lines. Smaller blocks share lines: every edge
// moves or masks single bytes (the write granule is the byte), so that is slow at worst, and never wrong.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>

namespace skerry::inline SKERRY_ABI::detail {

// What processes trade (Lyberis et al., V.C). Also the greatest alignment.
inline constexpr std::size_t page_bytes = std::size_t{1} << 20;
// What a region hands out within a page: blocks of one size, or a part of a larger object.
inline constexpr std::size_t slab_bytes = 4096;
inline constexpr std::size_t page_slabs = page_bytes / slab_bytes;
inline constexpr std::size_t smallest_block = 16;

// Multiples of a line from 64 on; those between powers of two waste less than a tenth of a slab.
inline constexpr std::array<std::uint16_t, 17> block_sizes{16,  32,  48,  64,  128, 192,  256,  320, 384,
                                                           448, 512, 576, 640, 768, 1024, 1344, 2048};
inline constexpr std::size_t classes = block_sizes.size();
inline constexpr std::size_t largest_block = block_sizes.back();

constexpr std::size_t blocks_of(std::size_t size_class) noexcept { return slab_bytes / block_sizes[size_class]; }

inline constexpr auto class_by_size = [] {
    std::array<std::uint8_t, largest_block / smallest_block + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        std::uint8_t c = 0;
        while (block_sizes[c] < i * smallest_block) {
            ++c;
        }
        table[i] = c;
    }
    return table;
}();

// The class of an object; `classes` if it gets slabs of its own. `alignment` is a power of two.
constexpr std::size_t class_of(std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > largest_block) {
        return classes;
    }
    std::size_t c = class_by_size[(bytes + smallest_block - 1) / smallest_block];
    while (c < classes && block_sizes[c] % alignment != 0) {
        ++c;
    }
    return c;
}

static_assert(std::all_of(block_sizes.begin(), block_sizes.end(),
                          [](std::size_t s) { return s < cache_line || s % cache_line == 0; }));
static_assert(class_of(1, 1) == 0 && class_of(0, 1) == 0 && class_of(17, 8) == 1 && class_of(33, 32) == 3);
static_assert(class_of(2048, 2048) == classes - 1 && class_of(2049, 8) == classes && class_of(8, 4096) == classes);

} // namespace skerry::inline SKERRY_ABI::detail
