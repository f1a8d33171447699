// SPDX-License-Identifier: Apache-2.0

#include "coherence/extents.hpp"

#include <algorithm>
#include <mutex>

#include "base/port/memory.hpp"
#include "coherence/arena.hpp"
#include "coherence/region_table.hpp"
#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

void append(std::vector<extent>& found, std::byte* first, std::size_t bytes) {
    if (!found.empty() && found.back().first + found.back().bytes == first) {
        found.back().bytes += bytes;
    } else {
        found.push_back({.first = first, .bytes = bytes});
    }
}

void append_extents(std::vector<extent>& found, region_id id) {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) {
        return;
    }
    const std::lock_guard guard(s->guard);
    if (s->id.load(memory_order::relaxed) != id) { // relaxed: written under this lock
        return;
    }
    for (page* p = s->pages; p != nullptr; p = p->next) {
        if (p->bytes != 0) {
            append(found, p->begin, port::round_up(p->bytes, slab_bytes));
            continue;
        }
        for (const slab& part : p->slabs) {
            if (part.live()) {
                append(found, p->begin_of(part), slab_bytes);
            }
        }
    }
}

} // namespace

std::vector<extent> extents_of(region_id id, bool recursive) {
    std::vector<extent> found;
    if (recursive) {
        for (const region_id each : subtree(id)) {
            append_extents(found, each);
        }
    } else {
        append_extents(found, id);
    }
    std::sort(found.begin(), found.end(), [](const extent& a, const extent& b) { return a.first < b.first; });
    std::vector<extent> joined;
    for (const extent& e : found) {
        append(joined, e.first, e.bytes);
    }
    return joined;
}

std::vector<page_range> pages_of(region_id id) {
    std::vector<page_range> found;
    region_state* const s = region_table::instance().find(id);
    const arena* const a = arena::existing();
    if (s == nullptr || a == nullptr) {
        return found;
    }
    {
        const std::lock_guard guard(s->guard);
        if (s->id.load(memory_order::relaxed) != id) { // relaxed: written under this lock
            return found;
        }
        for (const page* p = s->pages; p != nullptr; p = p->next) {
            found.push_back({.first = a->number_of(*p), .count = p->pages});
        }
    }
    std::sort(found.begin(), found.end(), [](page_range x, page_range y) { return x.first < y.first; });
    return found;
}

region_id region_of(const void* address) noexcept {
    const arena* const a = arena::existing();
    return a != nullptr ? a->region_of(address) : region_id::none;
}

namespace {

// With the lock of the region held, in which the address lies as it seems.
extent block_in(const arena& a, const region_state& s, const void* address) noexcept {
    page* const p = a.page_of(address);
    if (p == nullptr || p->owner.load(memory_order::relaxed) != s.id.load(memory_order::relaxed)) {
        return {}; // relaxed: both are written under this lock, once the page is the region's
    }
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - p->begin);
    if (p->bytes != 0) {
        return offset < p->bytes ? extent{.first = p->begin, .bytes = p->bytes} : extent{};
    }
    const slab* part = &p->slabs[offset / slab_bytes];
    if (part->use == slab_use::run_rest) {
        part -= part->run;
    }
    if (part->use == slab_use::run) {
        return {.first = p->begin_of(*part), .bytes = part->run * slab_bytes};
    }
    if (part->use != slab_use::blocks) {
        return {};
    }
    const std::size_t size = block_sizes[part->size_class];
    const std::size_t i = offset % slab_bytes / size;
    return i < blocks_of(part->size_class) && !part->free.has(i)
               ? extent{.first = p->begin_of(*part) + i * size, .bytes = size}
               : extent{};
}

} // namespace

extent try_block_around(const void* address) noexcept {
    region_state* const s = region_table::instance().find(region_of(address));
    if (s == nullptr || !s->guard.try_lock()) {
        return {};
    }
    const extent found = block_in(*arena::existing(), *s, address);
    s->guard.unlock();
    return found;
}

} // namespace skerry::inline SKERRY_ABI::detail
