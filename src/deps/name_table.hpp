// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names that the children of one task have used, each with the last group of accesses to it.
//
// Thread safety: guarded by the scope that owns it.
//
// Invariants
//  1. No two entries have the same name.
//  2. Of two entries whose objects overlap, the one that appeared later has the earlier one among its `hooks`.
//     If the elements of a container have moved to what an earlier name stands for, each has the other among them.
//  3. Parts of one partition are never compared: they overlap if they are equal. An `array` is `alone` as long as no
//     name but its parts touches it, and then none of its parts is compared with anything.
//  4. An entry of kind `elements` stands for the bytes that a container holds: whoever overlaps it hooks on the
//     container, which is its only hook. No group lives there.
//  5. Entries that are used again keep their `room` as it is: whoever ended a group there may be about to say that it
//  is
//     vacant.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/deps/dependent_task.hpp>
#include <skerry/detail/deps/overlapping.hpp>

#include "deps/named_regions.hpp"
#include "deps/names_kept.hpp"

namespace skerry::inline SKERRY_ABI::detail {

class name_table {
  public:
    struct entry : named_regions::place { // which it has if regions are named
        access name{};                    // without the mode
        access_group* last = nullptr;
        access_group room{};                        // for a group, if none lives here
        entry* next = nullptr;                      // in its bucket
        entry* next_in_cell = nullptr;              // where there are cells
        std::uint64_t unwritten = no_child;         // whose failure is the reason why the object was not written
        const latch<machine>* covered_by = nullptr; // of the task that has left it so: dependent_task::cover
        std::uint32_t touched = 0;         // its number in the list of what a task touches, which says whether it is so
        std::uint32_t managed_writers = 0; // of a task manager's tasks that have not finished, those that write it
        std::vector<entry*> hooks{};       // names that appeared before and overlap
    };

    name_table() noexcept = default;
    name_table(const name_table&) = delete;
    name_table& operator=(const name_table&) = delete;
    ~name_table() = default;

    // The entry of this name, made if need be. O(1) for a name that is known or has neighbours of its own size; for
    // others that appear O(extent / cell_bytes) and what begins in the cells at its ends, or O(objects), whichever is
    // less. Where regions are named, what appears in one costs its depth besides, and a region that appears also what
    // lies in it; the first that appears costs O(entries). A part that appears, of an array that nothing else touches:
    // O(partitions). An array that is touched otherwise costs its parts and others what they have to look at: at most
    // the entries. Errors: std::bad_alloc; the table is as before, or has an array more of which no part has appeared.
    entry& at(const access& a);
    // From now on the object of this entry, a container, holds these bytes, and no others: who touches some of them
    // touches the container. Complexity: as a name that appears, if they are others than before.
    // Errors: std::bad_alloc; as before.
    void hold(entry& container, std::uintptr_t first, std::size_t bytes);
    // Whether an access to the entry's object touches what `a` names: the object or, of a container, what it holds.
    [[nodiscard]] bool touches(const entry& e, const access& a) const noexcept;

    // Precondition of all: `a` is in the table.
    [[nodiscard]] const entry& known(const access& a) const noexcept { return *find(a, level_of(a)); }
    [[nodiscard]] std::uint32_t& writers(const access& a) noexcept { return find(a, level_of(a))->managed_writers; }
    // `covered_by`: as of the entry.
    void set_unwritten(const access& a, std::uint64_t reason, const latch<machine>* covered_by = nullptr) noexcept {
        entry& e = *find(a, level_of(a));
        e.unwritten = reason;
        e.covered_by = covered_by;
    }
    // The first child whose failure is the reason why one of the objects that `a` meets is unwritten, or no_child.
    // Complexity: as of a name that appears.
    [[nodiscard]] std::uint64_t unwritten(const access& a) const noexcept;

    template <class F>
    void for_each(F&& f) {
        plain_.for_each(f);
        regions_.for_each(f);
        parts_.for_each(f);
    }
    // What is unwritten counts as written where ended(entry). Returns whether any is left. Complexity: O(entries).
    template <class F>
    bool end_unwritten(F&& ended) {
        bool left = false;
        for_each([&](entry& e) {
            if (e.unwritten != no_child && ended(e)) {
                e.unwritten = no_child;
            }
            left = left || e.unwritten != no_child;
        });
        return left;
    }
    void clear() noexcept;
    // Whether the table is to look for names that it can use again before so many more appear.
    [[nodiscard]] bool is_full(std::size_t more) const noexcept { return size() + more > reuse_at_; }
    // Uses the names again whose accesses are over, and lets the table grow if that are less than half of them. Not
    // those of what is unwritten, and of containers with elements. `end`: of an entry, whether its accesses are over;
    // they have been given up then, and nobody but the table knows the entry. Complexity: O(entries and what they hook
    // on); as it is called when the table is_full(), O(1) for each name that appears.
    template <class F>
    void reuse(F&& end) noexcept {
        for_each([&](entry& e) {
            if (e.unwritten == no_child && e.name.kind != access_kind::elements &&
                (held_ == nullptr || !held_->contains(&e)) && end(e)) {
                mark_vacant(e);
            }
        });
        take_vacant();
    }
    // Forgets all but the names of what is unwritten. False: without memory for these all stay. Precondition: no group
    // lives in an entry. Complexity: O(entries), and what it costs that those which stay appear.
    [[nodiscard]] bool forget_written() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return plain_.size + regions_.size + parts_.size; }
    // Of how many regions something is kept.
    [[nodiscard]] std::size_t regions_known() const noexcept { return around_ != nullptr ? around_->size() : 0; }
    // How many names have appeared that overlap others.
    [[nodiscard]] std::uint64_t overlaps() const noexcept { return overlaps_; }
    // How many names have been compared with others when they appeared.
    [[nodiscard]] std::uint64_t searches() const noexcept { return searches_; }
    // With how many others in all.
    [[nodiscard]] std::uint64_t compared() const noexcept { return compared_; }

  private:
    name_table& operator=(name_table&&) noexcept = default;

    // No access names nothing, and what a container holds is of another kind.
    static bool is_vacant(const entry& e) noexcept { return e.name.kind == access_kind::bytes && e.name.extent == 0; }
    static void mark_vacant(entry& e) noexcept;
    void take_vacant() noexcept;

    // Entries that stay where they are.
    struct pool {
        struct block {
            std::unique_ptr<entry[]> entries;
            std::size_t capacity;
            std::size_t used;
        };
        std::vector<block> blocks;
        std::size_t size = 0;
        entry* vacant = nullptr; // by `next`: have been used, and are not

        // Room for one more. Errors: std::bad_alloc.
        void reserve();
        // Precondition: there is room.
        entry& take() noexcept {
            ++size;
            if (vacant != nullptr) {
                return *std::exchange(vacant, vacant->next);
            }
            return blocks.back().entries[blocks.back().used++];
        }
        template <class F>
        void for_each(F&& f) const {
            for (const block& b : blocks) {
                for (std::size_t i = 0; i < b.used; ++i) {
                    if (!is_vacant(b.entries[i])) {
                        f(b.entries[i]);
                    }
                }
            }
        }
        // Those that are vacant now. Returns the levels of the others.
        std::uint64_t take_vacant() noexcept;
        void clear() noexcept;
    };

    // A partition of which parts have appeared.
    struct array {
        tiling of;
        byte_box whole;
        std::vector<entry*> parts{};  // in the order in which they appeared
        std::vector<array*> others{}; // those that overlap it
        bool alone = true;
    };

    // As any name of a part; the mode means nothing.
    static access access_to(const part_name& name) noexcept;
    // An object of 2^(level-1) < bytes <= 2^level touches at most two granules of 2^level bytes, and lies in the bucket
    // of the first.
    static unsigned level_of(const access& a) noexcept;
    static std::uintptr_t granule_of(const access& a, unsigned level) noexcept {
        return level >= region_level ? a.first : a.first >> level;
    }
    [[nodiscard]] std::size_t bucket(unsigned level, std::uintptr_t granule) const noexcept;
    entry* find(const access& a, unsigned level) const noexcept;
    entry& add(const access& a, unsigned level);
    void find_regions();
    [[nodiscard]] named_regions::node* region_for(const access& a);
    void settle(entry& e, named_regions::node* in) noexcept;
    [[nodiscard]] bool has_moved(const entry& e) const noexcept;
    void settle_again(entry& e);
    void link(entry& e, unsigned level) noexcept;
    void unlink(entry& e) noexcept;
    void link_in_cell(entry& e) noexcept;
    void make_cells();
    // What whoever overlaps this entry hooks on.
    static entry& object_of(entry& e) noexcept { return e.name.kind == access_kind::elements ? *e.hooks.front() : e; }
    [[nodiscard]] const entry* held_by(const entry& container) const noexcept;
    [[nodiscard]] array* known_array(const tiling& t) const noexcept;
    array& array_of(const tiling& t);
    [[nodiscard]] static bool meets(const access& a, const array& other) noexcept;
    void find_overlaps(const access& a, array* own, std::vector<entry*>& found);
    // Whether small objects that lie in so many bytes are found sooner by cells than by granules.
    [[nodiscard]] bool is_wide(std::size_t span) const noexcept {
        const std::uint64_t small = levels_ & small_levels;
        return small != 0 && (span >> std::countr_zero(small)) > few_granules;
    }
    [[nodiscard]] bool meet(const entry& e, const access& a) const noexcept;
    // Each calls f with the entries that overlap `a`, some more than once; parts of the array `own` are not among them.
    template <class F>
    void look(const access& a, const array* own, F&& f) const;
    template <class F>
    void look_among_plain(const access& a, std::size_t span, F&& f) const;
    template <class F>
    void look_at_level(const access& a, std::size_t span, unsigned level, F&& f) const;
    template <class F>
    void look_around(const access& a, F&& f) const;
    template <class F>
    void look_within(const access& region, F&& f) const;
    template <class F>
    void look_in_cells(const access& a, std::size_t span, F&& f) const;
    template <class F>
    void look_among_parts(const access& a, const byte_box& box, const array& of, F&& f) const;
    void grow();

    static constexpr unsigned region_level = 64;
    static constexpr unsigned part_level = 65;

    // Small objects are also listed by the cell in which they begin, as soon as somebody looks for those that a large
    // one touches: their granules are too many there.
    static constexpr unsigned cell_level = 16;
    static constexpr std::uint64_t small_levels = (std::uint64_t{1} << cell_level) - 1;
    static constexpr std::size_t few_granules = 64;

    std::vector<entry*> buckets_; // 2^(64 - bucket_shift_) of them, or none
    std::vector<entry*> cells_;   // as many, or none
    int bucket_shift_ = 64;
    pool plain_; // objects
    pool regions_;
    pool parts_;
    std::size_t reuse_at_ = names_kept();
    std::uint64_t levels_ = 0;              // which levels have entries
    std::unique_ptr<named_regions> around_; // of objects and regions; null: no region has been named
    std::vector<std::unique_ptr<array>> arrays_;
    std::unique_ptr<std::unordered_map<const entry*, entry*>> held_; // the elements of containers; null: there are none
    std::forward_list<part_name> part_names_; // what the entries' names point to; a task without parts pays nothing
    std::uint64_t overlaps_ = 0;
    std::uint64_t searches_ = 0;
    mutable std::uint64_t compared_ = 0;
};

// Whether an access to `outer` allows what `inner` does.
[[nodiscard]] bool contains(const access& outer, const access& inner) noexcept;

} // namespace skerry::inline SKERRY_ABI::detail
