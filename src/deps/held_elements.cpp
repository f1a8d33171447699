// SPDX-License-Identifier: Apache-2.0

// What containers hold, as entries of the table that stand for them (invariant 4).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deps/name_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

const name_table::entry* name_table::held_by(const entry& container) const noexcept {
    if (held_ == nullptr) {
        return nullptr;
    }
    const auto known = held_->find(&container);
    return known != held_->end() && !known->second->name.nothing() ? known->second : nullptr;
}

bool name_table::touches(const entry& e, const access& a) const noexcept {
    const entry* const elements = held_by(e);
    return overlapping(e.name, a) || (elements != nullptr && overlapping(elements->name, a));
}

void name_table::hold(entry& container, std::uintptr_t first, std::size_t bytes) {
    const access now{bytes != 0 ? first : 0, {bytes}, access_mode::in, access_kind::elements};
    if (held_ == nullptr) {
        held_ = std::make_unique<std::unordered_map<const entry*, entry*>>();
    }
    const auto at = held_->find(&container);
    entry* elements = at != held_->end() ? at->second : nullptr;
    // The same bytes may lie in another region now.
    if (elements != nullptr ? same_name(elements->name, now) && (elements->in == nullptr || !has_moved(*elements))
                            : bytes == 0) {
        return;
    }
    std::vector<entry*> met;
    if (bytes != 0) {
        find_overlaps(now, nullptr, met);
    }
    // What overlaps the container itself is among its hooks already, or has it among its own.
    const auto touches_itself = [&](const entry* e) { return e == &container || touches(*e, container.name); };
    std::erase_if(met, touches_itself);
    // Accesses to what has been named before enter the order of those to the container that wait there already.
    const bool accessed = container.last != nullptr;
    if (accessed) {
        for (entry* const e : met) {
            e->hooks.reserve(e->hooks.size() + 1);
        }
    }
    container.hooks.reserve(container.hooks.size() + met.size());
    named_regions::node* const in = region_for(now);
    if (elements == nullptr) {
        if (size() >= buckets_.size()) {
            grow();
        }
        plain_.reserve();
        std::vector<entry*> stands_for(1, &container);
        entry*& place = held_->try_emplace(&container, nullptr).first->second;
        elements = place = &plain_.take();
        elements->name = {0, {0}, access_mode::in, access_kind::elements};
        elements->hooks = std::move(stands_for);
    }
    // From here on nothing fails.
    if (!elements->name.nothing()) {
        unlink(*elements);
    }
    elements->name = now;
    if (bytes != 0) {
        const unsigned level = level_of(now);
        link(*elements, level);
        settle(*elements, in);
        levels_ |= std::uint64_t{1} << level;
    }
    std::erase_if(container.hooks, std::not_fn(touches_itself));
    container.hooks.insert(container.hooks.end(), met.begin(), met.end());
    for (entry* const e : met) {
        if (accessed && std::ranges::find(e->hooks, &container) == e->hooks.end()) {
            e->hooks.push_back(&container);
        }
    }
    overlaps_ += met.empty() ? 0U : 1U;
}

} // namespace skerry::inline SKERRY_ABI::detail
