// SPDX-License-Identifier: Apache-2.0

// How a table of names uses entries again whose accesses are over, so that a parent that never waits needs no more of
// them than its unfinished children do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "deps/name_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

// It is in its bucket, and in hooks of others, until take_vacant(). Its room stays as it is (invariant 5).
void name_table::mark_vacant(entry& e) noexcept {
    named_regions::take(e);
    e.name = {0, {0}, access_mode::in, access_kind::bytes};
    e.last = nullptr;
    e.covered_by = nullptr;
    e.hooks = {};
}

std::uint64_t name_table::pool::take_vacant() noexcept {
    std::uint64_t levels = 0;
    size = 0;
    vacant = nullptr;
    for (const block& b : blocks) {
        for (std::size_t i = 0; i < b.used; ++i) {
            entry& e = b.entries[i];
            if (is_vacant(e)) {
                e.next = std::exchange(vacant, &e);
                continue;
            }
            ++size;
            std::erase_if(e.hooks, [](const entry* h) { return is_vacant(*h); });
            if (is_run(e.name.kind) && !e.name.nothing()) {
                levels |= std::uint64_t{1} << level_of(e.name);
            }
        }
    }
    return levels;
}

void name_table::take_vacant() noexcept {
    const auto drop = [](std::vector<entry*>& heads, entry* entry::* next) {
        for (entry*& head : heads) {
            for (entry** at = &head; *at != nullptr;) {
                if (is_vacant(**at)) {
                    *at = (*at)->*next;
                } else {
                    at = &((*at)->*next);
                }
            }
        }
    };
    drop(buckets_, &entry::next);
    drop(cells_, &entry::next_in_cell);
    for (const std::unique_ptr<array>& each : arrays_) {
        std::erase_if(each->parts, [](const entry* e) { return is_vacant(*e); });
    }
    const auto is_unused = [](const auto& each) { return each->parts.empty(); };
    for (const std::unique_ptr<array>& each : arrays_) {
        std::erase_if(each->others, is_unused);
    }
    std::erase_if(arrays_, is_unused);
    for (auto before = part_names_.before_begin(); std::next(before) != part_names_.end();) {
        if (find(access_to(*std::next(before)), part_level) == nullptr) {
            part_names_.erase_after(before);
        } else {
            ++before;
        }
    }
    levels_ = plain_.take_vacant();
    static_cast<void>(regions_.take_vacant());
    static_cast<void>(parts_.take_vacant());
    if (around_ != nullptr) {
        around_->prune();
    }
    reuse_at_ = std::max(reuse_at_, 2 * size());
}

} // namespace skerry::inline SKERRY_ABI::detail
