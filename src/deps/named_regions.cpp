// SPDX-License-Identifier: Apache-2.0

#include "deps/named_regions.hpp"

#include <utility>
#include <vector>

#include <skerry/detail/coherence/region_calls.hpp>

#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

named_regions::node& named_regions::at(region_id id) {
    if (node* const known = find(id)) {
        return *known;
    }
    if (!region_exists(id)) {
        return nowhere_;
    }
    if (nodes_.size() >= prune_at_) {
        prune();
        prune_at_ = 2 * nodes_.size() + least_pruned;
    }
    std::vector<region_id> missing; // inner ones first
    node* around = nullptr;
    for (region_id next = id; next != region_id::none; next = region_above(next)) {
        around = find(next);
        if (around != nullptr) {
            break;
        }
        missing.push_back(next);
    }
    for (; !missing.empty(); missing.pop_back()) {
        node& fresh = nodes_.try_emplace(bits_of(missing.back()), node{missing.back(), around}).first->second;
        if (around != nullptr) {
            fresh.beside = std::exchange(around->within, &fresh);
        }
        around = &fresh;
    }
    return around != nullptr ? *around : nowhere_; // never the second, which clang-tidy does not see
}

void named_regions::put(place& name, node& in, bool names_region) noexcept {
    name.in = &in;
    name.next = in.names;
    name.to_this = &in.names;
    if (name.next != nullptr) {
        name.next->to_this = &name.next;
    }
    in.names = &name;
    if (names_region && in.id != region_id::none) {
        in.of_region = &name;
    }
}

void named_regions::take(place& name) noexcept {
    if (name.in == nullptr) {
        return;
    }
    if (name.in->of_region == &name) {
        name.in->of_region = nullptr;
    }
    *name.to_this = name.next;
    if (name.next != nullptr) {
        name.next->to_this = name.to_this;
    }
    name = {};
}

named_regions::node* named_regions::find(region_id id) noexcept {
    const auto known = nodes_.find(bits_of(id));
    return known != nodes_.end() ? &known->second : nullptr;
}

const named_regions::node* named_regions::nearest(region_id id) const noexcept {
    for (; id != region_id::none; id = region_above(id)) {
        if (const auto known = nodes_.find(bits_of(id)); known != nodes_.end()) {
            return &known->second;
        }
    }
    return nullptr;
}

const named_regions::node* named_regions::next_within(const node& n, const node& top) noexcept {
    if (n.within != nullptr) {
        return n.within;
    }
    for (const node* at = &n; at != &top; at = at->around) {
        if (at->beside != nullptr) {
            return at->beside;
        }
    }
    return nullptr;
}

void named_regions::prune() noexcept {
    for (auto& [id, n] : nodes_) {
        n.needed = false;
        n.within = n.beside = nullptr;
    }
    for (auto& [id, n] : nodes_) {
        for (node* at = n.names != nullptr ? &n : nullptr; at != nullptr && !at->needed; at = at->around) {
            at->needed = true;
        }
    }
    std::erase_if(nodes_, [](const auto& each) { return !each.second.needed; });
    for (auto& [id, n] : nodes_) {
        if (n.around != nullptr) {
            n.beside = std::exchange(n.around->within, &n);
        }
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
