// SPDX-License-Identifier: Apache-2.0

#include "coherence/region_state.hpp"

#include <algorithm>
#include <new>

#include "base/panic.hpp"
#include "base/port/memory.hpp"
#include "base/port/poison.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

// A page from its slab: slabs know their index. They are what a page ends with, without padding, since it is aligned as
// they are. (offsetof() is for standard-layout classes, and a page is none.)
page& page_of(slab& s) noexcept {
    static_assert(alignof(page) == alignof(slab));
    slab* const end = &s - s.index + page_slabs;
    void* const begin = reinterpret_cast<std::byte*>(end) - sizeof(page);
    return *static_cast<page*>(begin);
}

std::size_t slabs_for(std::size_t bytes) noexcept { return (bytes + slab_bytes - 1) / slab_bytes; }

// The first of `count` unused slabs in a row whose number is a multiple of `step`; page_slabs if there are none.
std::size_t find_run(const page& p, std::size_t count, std::size_t step) noexcept {
    for (std::size_t first = 0; first + count <= page_slabs;) {
        std::size_t n = 0;
        while (n < count && p.unused.has(first + n)) {
            ++n;
        }
        if (n == count) {
            return first;
        }
        first = port::round_up(first + n + 1, step);
    }
    return page_slabs;
}

// Pages that a search for a run looks at before it wants a fresh one, so that it ends soon in a region of many.
constexpr int most_pages_searched = 8;

} // namespace

void busy(void*, std::size_t) noexcept { panic("coherence: the mark of a busy block was called"); }

std::size_t region_state::pages_for(std::size_t bytes, std::size_t alignment) noexcept {
    return class_of(bytes, alignment) == classes ? (bytes + page_bytes - 1) / page_bytes : 1;
}

void* region_state::take(std::size_t bytes, std::size_t alignment, bool noted) {
    const std::size_t c = class_of(bytes, alignment);
    return c < classes           ? take_block(c, bytes, noted)
           : bytes <= page_bytes ? take_run(bytes, alignment, noted)
                                 : nullptr;
}

void* region_state::take_block(std::size_t c, std::size_t bytes, bool noted) {
    slab* s = with_free[c];
    if (s == nullptr) {
        s = open_slab(c);
        if (s == nullptr) {
            return nullptr;
        }
    }
    if (noted && s->records == nullptr) {
        s->records = std::make_unique<object_record[]>(blocks_of(c)); // if it throws: the slab stays, empty
    }
    const std::size_t i = s->free.first();
    s->free.erase(i);
    if (--s->free_count == 0) {
        unlink_free(*s);
    }
    if (noted) {
        s->records[i].destroy = &busy;
    }
    void* const first = page_of(*s).begin_of(*s) + i * block_sizes[c];
    port::unpoison(first, bytes);
    return first;
}

void* region_state::take_run(std::size_t bytes, std::size_t alignment, bool noted) {
    const std::size_t count = std::max(slabs_for(bytes), std::size_t{1});
    const std::size_t step = std::max(alignment / slab_bytes, std::size_t{1});
    int searched = 0;
    for (page* p = with_room; p != nullptr && searched < most_pages_searched; p = p->next_with_room, ++searched) {
        const std::size_t at = p->unused_count >= count ? find_run(*p, count, step) : page_slabs;
        if (at == page_slabs) {
            continue;
        }
        slab& head = p->slabs[at];
        if (noted) {
            head.records = std::make_unique<object_record[]>(1);
            head.records[0].destroy = &busy;
        }
        for (std::size_t i = 0; i < count; ++i) {
            use_slab(*p, at + i);
            p->slabs[at + i].use = i == 0 ? slab_use::run : slab_use::run_rest;
            p->slabs[at + i].run = static_cast<std::uint16_t>(i == 0 ? count : i);
        }
        port::unpoison(p->begin_of(head), bytes);
        return p->begin_of(head);
    }
    return nullptr;
}

void* region_state::take_whole(page& p, std::size_t bytes, bool noted) {
    if (noted) {
        p.slabs[0].records = std::make_unique<object_record[]>(1);
        p.slabs[0].records[0].destroy = &busy;
    }
    p.bytes = bytes;
    p.unused_count = 0;
    link(p);
    port::unpoison(p.begin, bytes);
    return p.begin;
}

void region_state::add(page& p) noexcept {
    link(p);
    link_room(p);
}

slab* region_state::open_slab(std::size_t c) noexcept {
    if (with_room == nullptr) {
        return nullptr;
    }
    page& p = *with_room;
    const std::size_t i = p.unused.first();
    use_slab(p, i);
    slab& s = p.slabs[i];
    s.use = slab_use::blocks;
    s.size_class = static_cast<std::uint8_t>(c);
    s.free_count = static_cast<std::uint16_t>(blocks_of(c));
    s.free.fill(s.free_count);
    link_free(s);
    return &s;
}

void region_state::use_slab(page& p, std::size_t i) noexcept {
    p.unused.erase(i);
    if (--p.unused_count == 0) {
        unlink_room(p);
    }
}

block_place region_state::find(const arena& a, const void* first) const noexcept {
    page* const p = a.page_of(first);
    if (p == nullptr || p->owner.load(memory_order::relaxed) != id.load(memory_order::relaxed)) {
        return {}; // relaxed: both are written under this region's lock once the page is its own
    }
    return block_at(*p, first);
}

block_place region_state::block_at(page& p, const void* first) noexcept {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(first) - p.begin);
    if (p.bytes != 0) {
        return offset == 0 ? block_place{.in = &p, .of = p.slabs.data(), .index = 0} : block_place{};
    }
    slab& s = p.slabs[offset / slab_bytes];
    const std::size_t within = offset % slab_bytes;
    if (s.use == slab_use::blocks) {
        const std::size_t size = block_sizes[s.size_class];
        const std::size_t i = within / size;
        const bool live = within % size == 0 && i < blocks_of(s.size_class) && !s.free.has(i);
        return live ? block_place{.in = &p, .of = &s, .index = i} : block_place{};
    }
    return s.use == slab_use::run && within == 0 ? block_place{.in = &p, .of = &s, .index = 0} : block_place{};
}

object_record* region_state::record_of(const block_place& b) noexcept {
    object_record* const r = b.of->records != nullptr ? &b.of->records[b.index] : nullptr;
    return r != nullptr && r->destroy != nullptr ? r : nullptr;
}

void region_state::note(object_record& r, void* first, std::size_t count, destroyer destroy) noexcept {
    r = {.older = newest, .newer = nullptr, .destroy = destroy, .first = first, .count = count};
    if (newest != nullptr) {
        newest->newer = &r;
    }
    newest = &r;
}

void region_state::forget(object_record& r) noexcept {
    (r.newer != nullptr ? r.newer->older : newest) = r.older;
    if (r.older != nullptr) {
        r.older->newer = r.newer;
    }
    r.destroy = &busy;
}

page* region_state::free(const block_place& b) noexcept {
    page& p = *b.in;
    slab& s = *b.of;
    if (s.records != nullptr) {
        s.records[b.index] = {};
    }
    if (p.bytes != 0) {
        port::poison(p.begin, p.bytes);
        unlink(p);
        return &p;
    }
    if (s.use == slab_use::run) {
        port::poison(p.begin_of(s), s.run * slab_bytes);
        return close_slabs(p, s, s.run);
    }
    port::poison(p.begin_of(s) + b.index * block_sizes[s.size_class], block_sizes[s.size_class]);
    s.free.insert(b.index);
    if (++s.free_count == 1) {
        link_free(s);
    }
    // One empty slab of a class is kept: a program that makes and destroys one object in turn would open one each time.
    if (s.free_count == blocks_of(s.size_class) && (s.next != nullptr || s.before != nullptr)) {
        unlink_free(s);
        return close_slabs(p, s, 1);
    }
    return nullptr;
}

page* region_state::close_slabs(page& p, slab& s, std::size_t count) noexcept {
    for (slab* i = &s; i != &s + count; ++i) {
        i->use = slab_use::unused;
        i->records.reset();
        p.unused.insert(i->index);
    }
    if (p.unused_count == 0) {
        link_room(p);
    }
    p.unused_count += count;
    // One empty page is kept, for the same reason.
    if (p.unused_count == page_slabs && (p.next_with_room != nullptr || p.before_with_room != nullptr)) {
        unlink_room(p);
        unlink(p);
        return &p;
    }
    return nullptr;
}

void region_state::put(page& p) noexcept {
    link(p);
    if (p.unused_count != 0) {
        link_room(p);
    }
    for (slab& s : p.slabs) {
        if (p.bytes == 0 && s.use == slab_use::blocks && s.free_count != 0) {
            link_free(s);
        }
    }
}

page* region_state::strip() noexcept {
    with_free = {};
    with_room = nullptr;
    page* const all = pages;
    pages = nullptr;
    return all;
}

void region_state::link_room(page& p) noexcept {
    p.before_with_room = nullptr;
    p.next_with_room = with_room;
    if (with_room != nullptr) {
        with_room->before_with_room = &p;
    }
    with_room = &p;
}

void region_state::unlink_room(page& p) noexcept {
    (p.before_with_room != nullptr ? p.before_with_room->next_with_room : with_room) = p.next_with_room;
    if (p.next_with_room != nullptr) {
        p.next_with_room->before_with_room = p.before_with_room;
    }
    p.next_with_room = p.before_with_room = nullptr;
}

void region_state::link_free(slab& s) noexcept {
    slab*& head = with_free[s.size_class];
    s.before = nullptr;
    s.next = head;
    if (head != nullptr) {
        head->before = &s;
    }
    head = &s;
}

void region_state::unlink_free(slab& s) noexcept {
    (s.before != nullptr ? s.before->next : with_free[s.size_class]) = s.next;
    if (s.next != nullptr) {
        s.next->before = s.before;
    }
    s.next = s.before = nullptr;
}

void region_state::link(page& p) noexcept {
    p.before = nullptr;
    p.next = pages;
    if (pages != nullptr) {
        pages->before = &p;
    }
    pages = &p;
}

void region_state::unlink(page& p) noexcept {
    (p.before != nullptr ? p.before->next : pages) = p.next;
    if (p.next != nullptr) {
        p.next->before = p.before;
    }
    p.next = p.before = nullptr;
}

} // namespace skerry::inline SKERRY_ABI::detail
