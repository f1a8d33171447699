// SPDX-License-Identifier: Apache-2.0

// Regions as region.hpp uses them.

#include <skerry/detail/coherence/region_calls.hpp>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/panic.hpp"
#include "base/text.hpp"
#include "coherence/arena.hpp"
#include "coherence/region_state.hpp"
#include "coherence/region_table.hpp"
#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

using text = fixed_text<300>;

[[noreturn]] void refuse_object(region_id id, const void* first) {
    text t;
    t << "skerry: region::destroy(" << first << "): no object of region " << hex{bits_of(id)}
      << " begins there, or its destructor runs already";
    throw std::invalid_argument(t.c_str());
}

// A page for a region that had no room; its lock is not held.
void* take_from_fresh_page(region_state& s, region_id id, std::size_t bytes, std::size_t alignment, bool noted,
                           bool has_pages, const char* what) {
    arena& a = arena::instance();
    const std::size_t count = region_state::pages_for(bytes, alignment);
    const auto give = [&a](page* p) { a.give(*p); };
    std::unique_ptr<page, decltype(give)> fresh(&a.take(count, id, has_pages), give);
    const std::lock_guard guard(s.guard);
    check_usable(s, id, what);
    if (bytes > page_bytes) {
        void* const taken = s.take_whole(*fresh, bytes, noted);
        static_cast<void>(fresh.release());
        return taken;
    }
    s.add(*fresh.release());
    return s.take(bytes, alignment, noted); // null: another thread has been faster
}

void* take(region_id id, std::size_t bytes, std::size_t alignment, bool noted, const char* what) {
    region_state& s = find_region(id, what);
    bool has_pages = false;
    {
        const std::lock_guard guard(s.guard);
        check_usable(s, id, what);
        if (void* const taken = s.take(bytes, alignment, noted)) {
            return taken;
        }
        has_pages = s.pages != nullptr;
    }
    for (;;) { // each round brings a page, so the arena is the end of it
        if (void* const taken = take_from_fresh_page(s, id, bytes, alignment, noted, has_pages, what)) {
            return taken;
        }
    }
}

} // namespace

void* take_memory(region_id id, std::size_t bytes, std::size_t alignment, const char* what) {
    return take(id, bytes, alignment, false, what);
}

void* take_object(region_id id, std::size_t bytes, std::size_t alignment, const char* what) {
    return take(id, bytes, alignment, true, what);
}

void keep_object(region_id id, void* first, std::size_t count, destroyer destroy) noexcept {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) {
        fatal("a region was destroyed by the constructor of an object that is being made in it");
    }
    const std::lock_guard guard(s->guard);
    const block_place b = s->find(arena::instance(), first);
    s->note(b.of->records[b.index], first, count, destroy);
}

void give_memory(region_id id, void* first) noexcept {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) {
        return;
    }
    arena& a = *arena::existing(); // somebody took memory from it
    page* left = nullptr;
    {
        const std::lock_guard guard(s->guard);
        if (s->id.load(memory_order::relaxed) != id) { // relaxed: written under this lock
            return;
        }
        if (s->away) {
            fatal("region_allocator::deallocate(", static_cast<const void*>(first), "): region ", hex{bits_of(id)},
                  " is being written by another process");
        }
        const block_place b = s->find(a, first);
        if (b.in == nullptr) {
            fatal("region_allocator::deallocate(", static_cast<const void*>(first), "): no memory of region ",
                  hex{bits_of(id)}, " begins there; were containers of two regions swapped?");
        }
        left = s->free(b);
    }
    if (left != nullptr) {
        a.give(*left);
    }
}

void destroy_object(region_id id, void* first, bool noted) {
    region_state& s = find_region(id, "destroy");
    arena* const a = arena::existing();
    if (a == nullptr) {
        refuse_object(id, first);
    }
    std::unique_lock guard(s.guard);
    check_present(s, id, "destroy");
    const block_place b = s.find(*a, first);
    object_record* const r = b.in != nullptr ? region_state::record_of(b) : nullptr;
    if (b.in == nullptr || (noted && r == nullptr) || (r != nullptr && r->destroy == &busy)) {
        guard.unlock();
        refuse_object(id, first);
    }
    if (r != nullptr) {
        const object_record object = *r;
        s.forget(*r);
        guard.unlock();
        object.destroy(object.first, object.count);
        guard.lock();
    }
    page* const left = s.free(b); // still there: it is live, and marked busy
    guard.unlock();
    if (left != nullptr) {
        a->give(*left);
    }
}

} // namespace skerry::inline SKERRY_ABI::detail
