// SPDX-License-Identifier: Apache-2.0

#include "coherence/region_tree.hpp"

#include <mutex>
#include <stdexcept>
#include <utility>

#include <skerry/detail/coherence/region_calls.hpp>

#include "base/text.hpp"
#include "coherence/arena.hpp"
#include "coherence/region_table.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

using text = fixed_text<300>;

[[noreturn]] void refuse_absent(region_id id, const char* what) {
    text t;
    t << "skerry: region::" << what;
    if (id == region_id::none) {
        t << " with a skerry::region that names none; take one from create() or root_region()";
    } else if (process_of(id) != region_table::instance().process()) {
        t << ": region " << hex{bits_of(id)} << " was destroyed, or no task has brought it to this process";
    } else {
        t << ": region " << hex{bits_of(id)} << " was destroyed";
    }
    throw std::logic_error(t.c_str());
}

[[noreturn]] void refuse_going(region_id id, const char* what) {
    text t;
    t << "skerry: region::" << what << ": region " << hex{bits_of(id)} << " is being destroyed";
    throw std::logic_error(t.c_str());
}

[[noreturn]] void refuse_away(region_id id, const char* what) {
    text t;
    t << "skerry: region::" << what << ": region " << hex{bits_of(id)} << " is being written by another process";
    throw std::logic_error(t.c_str());
}

region_state* parent_of(const region_state& s) noexcept {
    return s.parent.load(memory_order::relaxed); // relaxed: constant since the id was published
}

// With the parent's lock held.
void link_child(region_state& parent, region_state& s) noexcept {
    s.older_sibling = parent.newest_child;
    if (s.older_sibling != nullptr) {
        s.older_sibling->newer_sibling = &s;
    }
    parent.newest_child = &s;
}

void unlink(region_state& s) noexcept {
    region_state* const parent = parent_of(s);
    if (parent == nullptr) {
        return;
    }
    const std::lock_guard guard(parent->guard);
    (s.newer_sibling != nullptr ? s.newer_sibling->older_sibling : parent->newest_child) = s.older_sibling;
    if (s.older_sibling != nullptr) {
        s.older_sibling->newer_sibling = s.newer_sibling;
    }
}

// A state whose region is gone: its maker uses it again.
void give_state(region_state& s, region_id had) noexcept {
    if (process_of(had) == region_table::instance().process()) {
        region_table::instance().give(s);
    }
}

// Runs the destructors of a region without children, and gives its memory back. Others may see it until `gone`.
void empty(region_state& s, bool gone) noexcept {
    arena* const a = arena::existing();
    std::unique_lock guard(s.guard);
    while (object_record* const r = s.newest) {
        const object_record object = *r;
        s.forget(*r);
        guard.unlock();
        object.destroy(object.first, object.count); // may destroy others here, and give memory back
        guard.lock();
        if (page* const left = s.free(s.find(*a, object.first))) {
            guard.unlock();
            a->give(*left);
            guard.lock();
        }
    }
    page* p = s.strip();
    if (gone) {
        s.id.store(region_id::none, memory_order::relaxed); // relaxed: finders look again under the lock
    }
    s.going = false;
    guard.unlock();
    while (p != nullptr) {
        page& last = *std::exchange(p, p->next);
        a->give(last);
    }
}

// Marks a region as going; false if it is already, or is not there any more.
bool mark_going(region_state& s, region_id id) noexcept {
    const std::lock_guard guard(s.guard);
    if (s.going || s.id.load(memory_order::relaxed) != id) { // relaxed: locked
        return false;
    }
    s.going = true;
    return true;
}

void unmark_going(region_state& s) noexcept {
    const std::lock_guard guard(s.guard);
    s.going = false;
}

region_state* newest_child_of(region_state& s) noexcept {
    const std::lock_guard guard(s.guard);
    return s.newest_child;
}

region_state* older_sibling_of(region_state& s, region_state& parent) noexcept {
    const std::lock_guard guard(parent.guard);
    return s.older_sibling;
}

// The region of a subtree after `s`, each before its children; null at the end.
region_state* next_within(region_state& s, region_state& top) noexcept {
    if (region_state* const child = newest_child_of(s)) {
        return child;
    }
    for (region_state* at = &s; at != &top; at = parent_of(*at)) {
        if (region_state* const sibling = older_sibling_of(*at, *parent_of(*at))) {
            return sibling;
        }
    }
    return nullptr;
}

bool is_away(region_state& s) noexcept {
    const std::lock_guard guard(s.guard);
    return s.away;
}

// Errors: std::logic_error names the first region of the subtree that another process writes.
void check_all_here(region_state& top, const char* what) {
    for (region_state* at = &top; at != nullptr; at = next_within(*at, top)) {
        if (is_away(*at)) {
            refuse_away(at->id.load(memory_order::relaxed), what); // relaxed: linked by its maker under a lock
        }
    }
}

// The regions below first; then the top, which stays if it is a root and not to go for good.
void destroy(region_state& top, bool for_good) {
    for (region_state* at = &top;;) {
        if (region_state* const child = newest_child_of(*at)) {
            const region_id id = child->id.load(memory_order::relaxed); // relaxed: linked by its maker under a lock
            if (!mark_going(*child, id)) { // by a destructor in there, which asks for more than its own region
                for (;; at = parent_of(*at)) {
                    unmark_going(*at);
                    if (at == &top) {
                        refuse_going(id, "destroy_all");
                    }
                }
            }
            at = child;
            continue;
        }
        const bool stays = at == &top && parent_of(*at) == nullptr && !for_good;
        region_state* const parent = parent_of(*at);
        if (!stays) {
            unlink(*at);
        }
        const bool last = at == &top;
        const region_id id = at->id.load(memory_order::relaxed); // relaxed: nobody else ends it
        empty(*at, !stays);
        if (!stays) {
            give_state(*at, id);
        }
        if (last) {
            return;
        }
        at = parent;
    }
}

region_state& make_region(region_state* parent, region_id parent_id, int level) {
    region_table& regions = region_table::instance();
    region_state& s = regions.take();
    s.parent.store(parent, memory_order::relaxed); // relaxed: this and the next are published by the id
    s.depth.store(parent != nullptr ? parent->depth.load(memory_order::relaxed) + 1 : 0, memory_order::relaxed);
    s.level = level;
    s.newer_sibling = s.older_sibling = nullptr;
    if (parent == nullptr) {
        s.id.store(regions.id_for(s), memory_order::release); // T3 -> T4: publishes the region
        return s;
    }
    try {
        const std::lock_guard guard(parent->guard);
        check_usable(*parent, parent_id, "create");
        s.id.store(regions.id_for(s), memory_order::release); // T3 -> T4: publishes the region
        link_child(*parent, s);
    } catch (...) {
        regions.give(s);
        throw;
    }
    return s;
}

} // namespace

region_state& find_region(region_id id, const char* what) {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) [[unlikely]] {
        refuse_absent(id, what);
    }
    return *s;
}

void check_present(const region_state& s, region_id id, const char* what) {
    if (s.id.load(memory_order::relaxed) != id) [[unlikely]] { // relaxed: written under the lock
        refuse_absent(id, what);
    }
    if (s.away) [[unlikely]] {
        refuse_away(id, what);
    }
}

void check_usable(const region_state& s, region_id id, const char* what) {
    check_present(s, id, what);
    if (s.going) [[unlikely]] {
        refuse_going(id, what);
    }
}

region_id create_region(region_id parent, int level) {
    region_state& above = find_region(parent, "create");
    return make_region(&above, parent, level).id.load(memory_order::relaxed); // relaxed: stored by this thread
}

region_id create_root_region() {
    return make_region(nullptr, region_id::none, 0).id.load(memory_order::relaxed); // relaxed: as above
}

void destroy_region(region_id id) {
    region_state& s = find_region(id, "destroy_all");
    check_all_here(s, "destroy_all");
    if (!mark_going(s, id)) {
        refuse_going(id, "destroy_all");
    }
    destroy(s, false);
}

void end_root_region(region_id id) noexcept {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) {
        return;
    }
    for (region_state* at = s; at != nullptr;) { // other processes' matter: neither destructors nor pages are ours
        if (is_away(*at)) {
            forget_region(*at);
            at = region_exists(id) ? s : nullptr;
        } else {
            at = next_within(*at, *s);
        }
    }
    if (region_exists(id) && mark_going(*s, id)) {
        destroy(*s, true);
    }
}

bool region_exists(region_id id) noexcept { return region_table::instance().find(id) != nullptr; }

bool lies_within(region_id inner, region_id outer) noexcept {
    const region_state* i = region_table::instance().find(inner);
    const region_state* const o = region_table::instance().find(outer);
    if (i == nullptr || o == nullptr) {
        return false;
    }
    const std::uint32_t depth = o->depth.load(memory_order::relaxed); // relaxed: constant
    while (i != nullptr && i->depth.load(memory_order::relaxed) > depth) {
        i = parent_of(*i);
    }
    return i == o;
}

region_id region_above(region_id id) noexcept {
    const region_state* const s = region_table::instance().find(id);
    const region_state* const above = s != nullptr ? parent_of(*s) : nullptr;
    return above != nullptr ? above->id.load(memory_order::acquire) : region_id::none; // T4 <- T3
}

page* take_content(region_state& s) noexcept {
    const std::lock_guard guard(s.guard);
    s.newest = nullptr;
    return s.strip();
}

void forget_content(region_state& s) noexcept {
    for (page* p = take_content(s); p != nullptr;) {
        page& last = *std::exchange(p, p->next);
        arena::existing()->forget(last);
    }
}

void forget_region(region_state& top) noexcept {
    for (region_state* at = &top;;) {
        if (region_state* const child = newest_child_of(*at)) {
            at = child;
            continue;
        }
        region_state* const parent = parent_of(*at);
        const bool last = at == &top;
        unlink(*at);
        forget_content(*at);
        region_id had = region_id::none;
        {
            const std::lock_guard guard(at->guard);
            had = at->id.exchange(region_id::none, memory_order::relaxed); // relaxed: finders look under the lock
            at->away = at->going = false;
        }
        give_state(*at, had);
        if (last) {
            return;
        }
        at = parent;
    }
}

void place_region(region_state& s, region_id id, region_state* parent, int level) noexcept {
    s.parent.store(parent, memory_order::relaxed); // relaxed: this and the next are published by the id
    s.depth.store(parent != nullptr ? parent->depth.load(memory_order::relaxed) + 1 : 0, memory_order::relaxed);
    s.level = level;
    s.newer_sibling = s.older_sibling = nullptr;
    s.away = true;
    if (parent == nullptr) {
        s.id.store(id, memory_order::release); // T3 -> T4: publishes the region
        return;
    }
    const std::lock_guard guard(parent->guard);
    s.id.store(id, memory_order::release); // T3 -> T4: publishes the region
    link_child(*parent, s);
}

std::vector<region_id> subtree(region_id id) {
    std::vector<region_id> found;
    if (region_exists(id)) {
        found.push_back(id);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        region_state* const s = region_table::instance().find(found[i]);
        if (s == nullptr) {
            continue;
        }
        const std::lock_guard guard(s->guard);
        for (const region_state* c = s->newest_child; c != nullptr; c = c->older_sibling) {
            found.push_back(c->id.load(memory_order::relaxed)); // relaxed: linked under this lock
        }
    }
    return found;
}

} // namespace skerry::inline SKERRY_ABI::detail
