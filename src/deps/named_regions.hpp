// SPDX-License-Identifier: Apache-2.0
#pragma once

// The regions that the names of one table name or lie in, as the tree that they are. So the names of the regions around
// an object are found by its region, and what lies in a region by that region; no other regions are looked at.
//
// Thread safety: guarded by the scope that owns the table.
//
// Invariants
//  1. If a region has a node, so have all regions around it. Which these are does not change while the region lives,
//  and
//     no other region gets its id.
//  2. A name stands in the node of the region that it names, or in which its first byte lay when it came here; apart if
//     there was none.

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/core/region_id.hpp>

namespace skerry::inline SKERRY_ABI::detail {

class named_regions {
  public:
    struct node;

    // By what a name stands here. All null: it does not.
    struct place {
        node* in = nullptr;
        place* next = nullptr;
        place** to_this = nullptr;
    };

    struct node {
        region_id id;
        node* around;               // null: a root
        node* within = nullptr;     // the newest
        node* beside = nullptr;     // the next older one in the same region
        place* names = nullptr;     // that stand here
        place* of_region = nullptr; // the region's own name, which is one of them; null: it has not been named
        bool needed = false;        // for prune()
    };

    named_regions() = default;
    named_regions(const named_regions&) = delete;
    named_regions& operator=(const named_regions&) = delete;
    ~named_regions() = default;

    // The node of a region, made if need be; one apart, with the id `none`, if there is no such region. Complexity:
    // O(1) if it has been made, else the depth of the region, where nodes in which no name stands are forgotten now and
    // then. Errors: std::bad_alloc; nothing has changed but for nodes
    // in which no name stands.
    node& at(region_id id);
    // Precondition: the name stands nowhere. `names_region`: the region itself, and not something in it.
    static void put(place& name, node& in, bool names_region) noexcept;
    // Nothing if it stands nowhere.
    static void take(place& name) noexcept;

    // Calls f with the names of the regions around what lies in that region, this one included; inner ones first.
    // Complexity: the depth of the region.
    template <class F>
    void for_each_around(region_id id, F&& f) const {
        for (const node* n = nearest(id); n != nullptr; n = n->around) {
            if (n->of_region != nullptr) {
                f(*n->of_region);
            }
        }
    }
    // Calls f with all names that stand in that region, and in those within. Complexity: as many as there are, and the
    // regions in which they stand.
    template <class F>
    void for_each_within(region_id id, F&& f) const {
        const auto known = nodes_.find(bits_of(id));
        const node* const top = known != nodes_.end() ? &known->second : nullptr;
        for (const node* n = top; n != nullptr; n = next_within(*n, *top)) {
            for (place* p = n->names; p != nullptr; p = p->next) {
                f(*p);
            }
        }
    }
    // Forgets the regions in which no name stands, at any depth. Complexity: O(nodes).
    void prune() noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

  private:
    [[nodiscard]] node* find(region_id id) noexcept;
    [[nodiscard]] const node* nearest(region_id id) const noexcept;
    static const node* next_within(const node& n, const node& top) noexcept;

    static constexpr std::size_t least_pruned = 64;

    std::unordered_map<std::uint64_t, node> nodes_; // by the bits of the id
    std::size_t prune_at_ = least_pruned;
    node nowhere_{region_id::none, nullptr};
};

} // namespace skerry::inline SKERRY_ABI::detail
