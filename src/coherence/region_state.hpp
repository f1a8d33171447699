// SPDX-License-Identifier: Apache-2.0
#pragma once

// A region: its place in the tree, its pages, its blocks.
//
// Thread safety: as each group of fields says. No thread holds the locks of two regions. A thread that holds one calls
// nothing that waits: pages are fetched and given back outside.
//
// Invariants
//  1. A state is never deleted, only used again with another id. Whoever has found it by an id looks at the id again
//     under its lock.
//  2. A region that is going gets no new children and no new objects; memory may still be given back to it.
//  3. `newest` leads over all objects with a destructor to be run, the one made last first.
//  4. Between take with `note` and keep, and while its destructor runs, a block is live and its record is `busy`, so
//     nobody can destroy it (again).

#include <array>
#include <cstddef>
#include <cstdint>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>
#include <skerry/detail/core/region_id.hpp>
#include <skerry/detail/sync/machine.hpp>

#include "coherence/arena.hpp"
#include "coherence/slab.hpp"
#include "sync/mutex.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// What begins at an address.
struct block_place {
    page* in = nullptr; // null: no live block begins there
    slab* of = nullptr;
    std::size_t index = 0; // of the block in the slab
};

// Marks the record of a block that is being made or destroyed. Never called.
void busy(void* first, std::size_t count) noexcept;

struct alignas(cache_line) region_state {
    constexpr region_state() noexcept = default;
    explicit constexpr region_state(region_id first) noexcept : id(first) {}

    // Any thread; written under the lock.
    machine::atomic<region_id> id{region_id::none};

    // Constant while the region lives.
    machine::atomic<region_state*> parent{nullptr}; // null: a root
    machine::atomic<std::uint32_t> depth{0};
    std::uint64_t slot = 0;   // in the table; constant for ever
    std::uint64_t serial = 0; // how many regions the slot has had

    mutex<machine> guard; // guards what follows, but for the three marked
    bool going = false;
    bool away = false; // another process writes it: nothing is made or destroyed here, and what is known may be old
    int level = 0;
    region_state* newest_child = nullptr;
    region_state* older_sibling = nullptr; // guarded by the parent's lock
    region_state* newer_sibling = nullptr; // the same
    region_state* next_free = nullptr;     // guarded by the table's lock
    page* pages = nullptr;
    page* with_room = nullptr;
    object_record* newest = nullptr;
    std::array<slab*, classes> with_free{}; // slabs of each class that have a free block

    // The rest: with the lock held.

    // Memory for `bytes`, null if a page must be fetched first. Errors: std::bad_alloc if there is no memory to note a
    // destructor.
    void* take(std::size_t bytes, std::size_t alignment, bool note);
    // How many pages in a row a take that gave null needs.
    [[nodiscard]] static std::size_t pages_for(std::size_t bytes, std::size_t alignment) noexcept;
    // Makes a fresh page the region's. One of several pages is one object of `bytes`.
    void add(page& p) noexcept;
    void* take_whole(page& p, std::size_t bytes, bool note);

    [[nodiscard]] block_place find(const arena& a, const void* first) const noexcept;
    // The same in a page that is known.
    [[nodiscard]] static block_place block_at(page& p, const void* first) noexcept;
    [[nodiscard]] static object_record* record_of(const block_place& b) noexcept;
    void note(object_record& r, void* first, std::size_t count, destroyer destroy) noexcept;
    void forget(object_record& r) noexcept;
    // Frees a block. A page that nothing lies in any more, and that the caller is to give back; else null.
    [[nodiscard]] page* free(const block_place& b) noexcept;
    // Takes all pages away, linked by `next`. Precondition: nothing is noted.
    [[nodiscard]] page* strip() noexcept;
    // Makes a page the region's in which blocks may be live already. Nothing is noted.
    void put(page& p) noexcept;

  private:
    void* take_block(std::size_t size_class, std::size_t bytes, bool note);
    void* take_run(std::size_t bytes, std::size_t alignment, bool note);
    slab* open_slab(std::size_t size_class) noexcept;
    [[nodiscard]] page* close_slabs(page& p, slab& s, std::size_t count) noexcept;
    void use_slab(page& p, std::size_t i) noexcept;
    void link_room(page& p) noexcept;
    void unlink_room(page& p) noexcept;
    void link_free(slab& s) noexcept;
    void unlink_free(slab& s) noexcept;
    void link(page& p) noexcept;
    void unlink(page& p) noexcept;
};

} // namespace skerry::inline SKERRY_ABI::detail
