// SPDX-License-Identifier: Apache-2.0

#include "coherence/page_source.hpp"

#include <iterator>
#include <mutex>
#include <new>

namespace skerry::inline SKERRY_ABI::detail {

std::optional<page_range> local_pages::take(std::size_t count) {
    const std::lock_guard guard(mutex_);
    for (auto gap = free_.begin(); gap != free_.end(); ++gap) {
        const auto [first, free] = *gap;
        if (free < count) {
            continue;
        }
        if (free == count) {
            free_.erase(gap);
        } else { // moves the node: needs no memory
            auto node = free_.extract(gap);
            if (node) { // always, which GCC 12 does not see
                node.key() = first + count;
                node.mapped() = free - count;
                free_.insert(std::move(node));
            }
        }
        return page_range{.first = first, .count = count};
    }
    return std::nullopt;
}

void local_pages::give(page_range range) noexcept {
    const std::lock_guard guard(mutex_);
    const auto after = free_.lower_bound(range.first);
    if (after != free_.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == range.first) {
            before->second += range.count;
            if (after != free_.end() && before->first + before->second == after->first) {
                before->second += after->second;
                free_.erase(after);
            }
            return;
        }
    }
    if (after != free_.end() && range.first + range.count == after->first) {
        auto node = free_.extract(after);
        if (node) { // always, which GCC 12 does not see
            node.key() = range.first;
            node.mapped() += range.count;
            free_.insert(std::move(node));
        }
        return;
    }
    try {
        free_.emplace(range.first, range.count);
    } catch (const std::bad_alloc&) { // addresses are plenty, and this process is out of memory
        return;
    }
}

bool local_pages::has(page_range range) noexcept {
    const std::lock_guard guard(mutex_);
    const auto after = free_.lower_bound(range.first);
    if (after != free_.end() && after->first - range.first < range.count) {
        return true;
    }
    return after != free_.begin() && std::prev(after)->first + std::prev(after)->second > range.first;
}

} // namespace skerry::inline SKERRY_ABI::detail
