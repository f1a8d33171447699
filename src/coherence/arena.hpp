// SPDX-License-Identifier: Apache-2.0
#pragma once

// One range of addresses for all objects of all regions, at the same place in every process of a program. Each process
// hands out pages of its own share; what lies in a page is private to a process until it is moved.
//
// Thread safety: any thread.
//
// Invariants
//  1. table_[i] leads to the page that holds page number i, from take() or install() to give() or forget(); it is null
//     outside.
//  2. A page that table_ has led to is never deleted, so a reader without a lock may still look at its owner.
//  3. Memory that belongs to no live block is poisoned in a build with AddressSanitizer, unless contents of other
//     processes come and go there (transfer.hpp).
//  4. A page is in the source of one process at most, or it is used by a region that one process writes. Whoever gives
//     a page back has it from then on, whoever took it first.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "base/port/reserve.hpp"
#include "coherence/page_source.hpp"
#include "coherence/slab.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

using port::arena_place;

class arena {
  public:
    // Reserves the first of the places that can be had. Errors: std::system_error says what is in the way;
    // std::bad_alloc.
    explicit arena(std::span<const arena_place> places, std::unique_ptr<page_source> source = nullptr);
    // On addresses that are reserved already. Errors: std::bad_alloc.
    explicit arena(port::reservation reserved, std::unique_ptr<page_source> source = nullptr);
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    // The arena of this process, reserved by the first caller. Never destroyed: containers of static life may lie in
    // it. Errors: as the constructor's; the next call tries again.
    static arena& instance();
    // The same, null if nobody has asked for it yet.
    static arena* existing() noexcept;
    // For tests and for processes that have agreed: where instance() shall look. False if it is too late.
    static bool choose(std::vector<arena_place> places);
    // The arena of process `rank` of `ranks` that have agreed on these addresses: instance() from then on. Its pages
    // are the rank-th of `ranks` equal parts. From then on new regions carry the rank in their id, and the root region
    // is process 0's until it crosses. Before the first region. Errors: std::logic_error if it is too late,
    // std::invalid_argument, std::bad_alloc; nothing is changed then, and the addresses are given back.
    static void adopt(port::reservation reserved, unsigned rank, unsigned ranks);

    // `count` pages in a row for a new owner; fresh: all slabs unused. Its lock may not be held: the source may wait.
    // `of_many`: the owner has others already, so large pages of the system serve it best.
    // Errors: std::bad_alloc (the arena is full, or the machine has no memory).
    page& take(std::size_t count, region_id owner, bool of_many = false);
    void give(page& p) noexcept;

    // For pages that other processes hand out. Numbers lie within the arena.
    //
    // Memory that can be touched, or opened (exposure.hpp), at pages that this process does not hand out. `of_many`:
    // those beside them will most likely come, too, and may be made accessible with them. False: no memory.
    [[nodiscard]] bool open(page_range range, bool of_many = false) noexcept;
    // A descriptor for such pages, all slabs unused, which nobody finds before install(). Errors: std::bad_alloc.
    [[nodiscard]] page& describe(page_range range);
    // Takes back what describe() gave and nobody installed.
    void discard(page& p) noexcept;
    void install(page& p, region_id owner) noexcept;
    // The page is another process's matter: it does not go to the source. Its content stays: it may be what another
    // process has put there since, and somebody here reads it.
    void forget(page& p) noexcept;
    // Whether any of these pages is this process's to hand out.
    [[nodiscard]] bool may_hand_out(page_range range) noexcept;
    [[nodiscard]] page* page_at(std::size_t number) const noexcept {
        return table_[number].load(memory_order::acquire); // A2 <- A1
    }

    // The page that holds an address; null if it is outside, or nobody's. Exact while the page is in use.
    [[nodiscard]] page* page_of(const void* address) const noexcept {
        const auto at = reinterpret_cast<std::uintptr_t>(address) - place().address;
        return at < place().bytes ? table_[at / page_bytes].load(memory_order::acquire) : nullptr; // A2 <- A1
    }

    // The region that an address lies in; `none` if none.
    [[nodiscard]] region_id region_of(const void* address) const noexcept {
        const page* const p = page_of(address);
        return p != nullptr ? p->owner.load(memory_order::relaxed) : region_id::none; // relaxed: only a number
    }

    // Whether the bytes lie in the arena.
    [[nodiscard]] bool holds(std::uintptr_t first, std::size_t bytes) const noexcept {
        return first - place().address < place().bytes && bytes <= place().bytes - (first - place().address);
    }

    [[nodiscard]] const arena_place& place() const noexcept { return reserved_.place(); }
    [[nodiscard]] std::size_t pages() const noexcept { return place().bytes / page_bytes; }
    [[nodiscard]] std::size_t number_of(const page& p) const noexcept {
        return (reinterpret_cast<std::uintptr_t>(p.begin) - place().address) / page_bytes;
    }
    // Exact when nobody takes or gives.
    [[nodiscard]] std::size_t pages_in_use() const noexcept { return in_use_.load(memory_order::relaxed); }

  private:
    // Pages that keep their memory when they are given back, so that a program that makes and destroys small regions in
    // turn does not pay the system each time; and halves of large pages that nobody has had yet.
    static constexpr std::size_t most_warm = 16;
    // Most systems have large pages of 2 MiB. The first touch of one takes a quarter of the time that its 512 small
    // ones take, and the system copies faster between them.
    static constexpr std::size_t pages_in_large = 2;

    [[nodiscard]] std::byte* begin_of(std::size_t number) const noexcept {
        return reserved_.begin() + number * page_bytes;
    }
    [[nodiscard]] bool begins_large_page(std::size_t number) const noexcept;
    [[nodiscard]] page_range widened(page_range range) const noexcept;
    [[nodiscard]] std::optional<page_range> take_range(std::size_t count, bool of_many);
    [[nodiscard]] std::optional<page_range> take_half();
    void put_back(page_range range) noexcept;
    [[nodiscard]] std::optional<page_range> take_warm() noexcept;
    void cool() noexcept;
    [[nodiscard]] page* take_descriptor();
    [[nodiscard]] bool make_accessible(page_range range, port::access allowed) noexcept; // those that are not yet
    void make_blank(page& p, page_range range) noexcept;
    void take_out(page& p) noexcept;
    static void clear(page& p) noexcept;

    port::reservation reserved_;              // constant
    machine::atomic<page*>* table_ = nullptr; // constant; one entry for each page number
    std::uint8_t* accessible_ = nullptr;      // constant; one byte for each page number: of its holder, else guarded
    std::unique_ptr<page_source> source_;     // constant
    page_range own_;                          // constant; the share that this process hands out
    machine::atomic<std::size_t> in_use_{0};

    mutex<machine> mutex_; // guards what follows
    std::size_t warm_count_ = 0;
    std::size_t warm_[most_warm] = {};
    page* spare_ = nullptr; // descriptors without memory, linked by `next`
};

} // namespace skerry::inline SKERRY_ABI::detail
