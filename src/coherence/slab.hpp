// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of the memory in the arena. None of it lies there: data that moves to another process takes no
// bookkeeping along, and overwrites none.
//
// Thread safety: a page's fields belong to the lock of the region that owns it, except `owner`, which any thread reads.
//
// Invariants
//  1. A set bit in `free` means: this process may hand out that block. A block is free in one process at most, the one
//     that freed it last; nobody else has to hear of that.
//  2. A slab with blocks is in its region's list of its class exactly while it has a free block.
//  3. A page is in its region's list of pages with room exactly while it has an unused slab.
//  4. At most one slab of each class of a region has no live block, and at most one page has none but such slabs.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/coherence/region_calls.hpp>
#include <skerry/detail/core/region_id.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "coherence/size_class.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// A destructor to run, in a list of its region's from the newest to the oldest.
struct object_record {
    object_record* older = nullptr;
    object_record* newer = nullptr;
    destroyer destroy = nullptr; // null: the block holds no object that is noted
    void* first = nullptr;
    std::size_t count = 0;
};

// Sets of up to 256 small numbers.
class bits256 {
  public:
    [[nodiscard]] bool has(std::size_t i) const noexcept { return (words_[i / 64] >> (i % 64) & 1) != 0; }
    void insert(std::size_t i) noexcept { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void erase(std::size_t i) noexcept { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

    void fill(std::size_t n) noexcept {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const std::size_t below = w * 64;
            words_[w] = n >= below + 64 ? ~std::uint64_t{0} : n <= below ? 0 : (std::uint64_t{1} << (n - below)) - 1;
        }
    }

    // The smallest. Precondition: not empty.
    [[nodiscard]] std::size_t first() const noexcept {
        std::size_t w = 0;
        while (words_[w] == 0) {
            ++w;
        }
        return w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
    }

    // For who moves sets as bytes: four words, the smallest numbers first.
    [[nodiscard]] std::uint64_t word(std::size_t w) const noexcept { return words_[w]; }
    void set_word(std::size_t w, std::uint64_t value) noexcept { words_[w] = value; }

    template <class F>
    void for_each_missing(F f) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t missing = ~words_[w]; missing != 0; missing &= missing - 1) {
                f(w * 64 + static_cast<std::size_t>(std::countr_zero(missing)));
            }
        }
    }

  private:
    std::array<std::uint64_t, 4> words_{};
};

enum class slab_use : std::uint8_t { unused, blocks, run, run_rest };

struct slab {
    bits256 free;
    slab* next = nullptr; // of invariant 2
    slab* before = nullptr;
    std::unique_ptr<object_record[]> records; // one for each block, from the first noted object on
    std::uint16_t free_count = 0;
    slab_use use = slab_use::unused;
    std::uint8_t size_class = 0;
    std::uint16_t run = 0;   // run: its slabs; run_rest: how far behind the first of them
    std::uint16_t index = 0; // in the page; constant

    [[nodiscard]] bool live() const noexcept {
        return use != slab_use::unused && (use != slab_use::blocks || free_count != blocks_of(size_class));
    }
};
static_assert(sizeof(slab) == 64);

// A page, or the row of pages that one object fills. Never deleted, so that a late reader of the page table meets a
// page without owner at worst.
struct page {
    machine::atomic<region_id> owner{region_id::none};
    std::byte* begin = nullptr;
    std::size_t pages = 1;
    std::size_t bytes = 0; // of the one object; 0: slabs
    page* next = nullptr;  // all of a region
    page* before = nullptr;
    page* next_with_room = nullptr; // of invariant 3
    page* before_with_room = nullptr;
    bits256 unused;
    std::size_t unused_count = 0;
    std::array<slab, page_slabs> slabs; // the last: page_of() counts from a page's end

    page() noexcept {
        for (std::size_t i = 0; i < page_slabs; ++i) {
            slabs[i].index = static_cast<std::uint16_t>(i);
        }
    }

    // Everything of a page that is in no list, and that has the same number, but its owner.
    void take_over(page& other) noexcept {
        bytes = other.bytes;
        unused = other.unused;
        unused_count = other.unused_count;
        next = before = next_with_room = before_with_room = nullptr;
        for (std::size_t i = 0; i < page_slabs; ++i) {
            slabs[i] = std::move(other.slabs[i]);
        }
    }

    [[nodiscard]] std::byte* begin_of(const slab& s) const noexcept { return begin + s.index * slab_bytes; }
};

} // namespace skerry::inline SKERRY_ABI::detail
