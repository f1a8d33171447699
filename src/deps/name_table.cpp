// SPDX-License-Identifier: Apache-2.0

#include "deps/name_table.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

region_id region_around(const access& a) noexcept {
    return a.kind == access_kind::region ? region_id{a.first} : region_of(reinterpret_cast<const void*>(a.first));
}

} // namespace

bool overlapping(const access& a, const access& b) noexcept {
    if (is_run(a.kind) && is_run(b.kind)) {
        return a.first < b.first + b.extent && b.first < a.first + a.extent;
    }
    if (a.kind != access_kind::region && b.kind != access_kind::region) {
        if (a.kind == b.kind && a.part->of == b.part->of) {
            return a.part->at == b.part->at;
        }
        return overlap(box_of(a), box_of(b));
    }
    return (a.kind == access_kind::region && lies_within(region_around(b), region_around(a))) ||
           (b.kind == access_kind::region && lies_within(region_around(a), region_around(b)));
}

bool contains(const access& outer, const access& inner) noexcept {
    if (writes(inner.mode) && !writes(outer.mode)) {
        return false;
    }
    if (outer.kind == access_kind::region) {
        return lies_within(region_around(inner), region_around(outer));
    }
    return inner.kind != access_kind::region && !outer.nothing() && covers(box_of(outer), box_of(inner));
}

access name_table::access_to(const part_name& name) noexcept {
    access a{name.first(), {0}, access_mode::in, access_kind::part};
    a.part = &name;
    return a;
}

unsigned name_table::level_of(const access& a) noexcept {
    if (!is_run(a.kind)) {
        return a.kind == access_kind::region ? region_level : part_level;
    }
    return static_cast<unsigned>(std::bit_width(a.extent - 1));
}

std::size_t name_table::bucket(unsigned level, std::uintptr_t granule) const noexcept {
    const std::uint64_t mixed = (granule + (std::uint64_t{level} << 58)) * 0x9e3779b97f4a7c15U; // Fibonacci hashing
    return mixed >> bucket_shift_;
}

name_table::entry* name_table::find(const access& a, unsigned level) const noexcept {
    if (buckets_.empty()) {
        return nullptr;
    }
    entry* e = buckets_[bucket(level, granule_of(a, level))];
    while (e != nullptr && !same_name(e->name, a)) {
        e = e->next;
    }
    return e;
}

name_table::entry& name_table::at(const access& a) {
    if (a.kind == access_kind::bytes && !buckets_.empty()) [[likely]] {
        const auto level = static_cast<unsigned>(std::bit_width(a.extent - 1));
        entry* e = buckets_[bucket(level, a.first >> level)];
        while (e != nullptr &&
               (e->name.first != a.first || e->name.kind != access_kind::bytes || e->name.extent != a.extent)) {
            e = e->next;
        }
        if (e == nullptr) {
            return add(a, level);
        }
        if (e->in != nullptr && has_moved(*e)) [[unlikely]] {
            settle_again(*e);
        }
        return *e;
    }
    const unsigned level = level_of(a);
    entry* const known = find(a, level);
    if (known == nullptr) {
        return add(a, level);
    }
    if (known->in != nullptr && has_moved(*known)) [[unlikely]] {
        settle_again(*known);
    }
    return *known;
}

name_table::entry& name_table::add(const access& a, unsigned level) {
    const bool part = level == part_level;
    array* const own = part ? &array_of(a.part->of) : nullptr;
    if (level == region_level && around_ == nullptr) {
        find_regions();
    }
    std::vector<entry*> hooks;
    find_overlaps(a, own, hooks);
    if (size() >= buckets_.size()) {
        grow();
    }
    named_regions::node* const in = part ? nullptr : region_for(a);
    pool& home = part ? parts_ : level == region_level ? regions_ : plain_;
    home.reserve();
    if (part) {
        if (own->parts.size() == own->parts.capacity()) {
            own->parts.reserve(2 * own->parts.size() + 8);
        }
        part_names_.push_front(*a.part);
    }
    // From here on nothing fails.
    entry& fresh = home.take();
    fresh.name = a;
    fresh.hooks = std::move(hooks);
    link(fresh, level);
    settle(fresh, in);
    overlaps_ += fresh.hooks.empty() ? 0U : 1U;
    if (part) {
        fresh.name.part = &part_names_.front();
        own->parts.push_back(&fresh);
    } else if (level != region_level) {
        levels_ |= std::uint64_t{1} << level;
    }
    return fresh;
}

// --- regions --------------------------------------------------------------------------------------------------------

// The first region is about to appear: from now on names stand where they lie. Errors: std::bad_alloc; as before.
void name_table::find_regions() {
    around_ = std::make_unique<named_regions>();
    try {
        plain_.for_each([this](entry& e) { static_cast<void>(region_for(e.name)); });
    } catch (const std::bad_alloc&) {
        around_.reset();
        throw;
    }
    plain_.for_each([this](entry& e) { settle(e, region_for(e.name)); }); // finds what has been made
}

// Where such a name is to stand; null: nowhere, as no region has been named. Errors: std::bad_alloc; as before.
named_regions::node* name_table::region_for(const access& a) {
    return around_ != nullptr && !a.nothing() ? &around_->at(region_around(a)) : nullptr;
}

void name_table::settle(entry& e, named_regions::node* in) noexcept {
    if (in != nullptr) {
        named_regions::put(e, *in, e.name.kind == access_kind::region);
    }
}

// Memory may go to another region when nobody uses it, and what a region is may come later than its name.
// Precondition: regions have been named.
bool name_table::has_moved(const entry& e) const noexcept { return region_around(e.name) != e.in->id; }

// The same for an entry whose name has another region around it than before. Whoever has used the name so far has
// ended, or memory would not have moved; so what it overlaps now need not know of it. Errors: std::bad_alloc; as
// before.
void name_table::settle_again(entry& e) {
    named_regions::node* const in = region_for(e.name);
    std::vector<entry*> met;
    find_overlaps(e.name, nullptr, met);
    std::erase_if(met,
                  [&e](entry* other) { return other == &e || std::ranges::find(e.hooks, other) != e.hooks.end(); });
    e.hooks.insert(e.hooks.end(), met.begin(), met.end());
    overlaps_ += met.empty() ? 0U : 1U;
    named_regions::take(e);
    settle(e, in);
}

bool name_table::meet(const entry& e, const access& a) const noexcept {
    ++compared_;
    return overlapping(e.name, a);
}

// Calls f with the regions that have names around what `a` names.
template <class F>
void name_table::look_around(const access& a, F&& f) const {
    const region_id around = around_ != nullptr ? region_around(a) : region_id::none;
    if (around == region_id::none) {
        return;
    }
    around_->for_each_around(around, [&](named_regions::place& p) {
        entry& r = static_cast<entry&>(p);
        if (meet(r, a)) {
            f(r);
        }
    });
}

// Calls f with what has a name and lies in that region.
template <class F>
void name_table::look_within(const access& region, F&& f) const {
    const auto each = [&](entry& e) {
        if (meet(e, region)) {
            f(e);
        }
    };
    around_->for_each_within(region_id{region.first}, [&](named_regions::place& p) { each(static_cast<entry&>(p)); });
    for (const std::unique_ptr<array>& a : arrays_) {
        if (meets(region, *a)) {
            std::ranges::for_each(a->parts, [&](entry* part) { each(*part); });
        }
    }
}

// Into its bucket. Precondition: there are buckets.
void name_table::link(entry& e, unsigned level) noexcept {
    entry*& head = buckets_[bucket(level, granule_of(e.name, level))];
    e.next = head;
    head = &e;
    if (!cells_.empty() && level < cell_level) [[unlikely]] {
        link_in_cell(e);
    }
}

void name_table::link_in_cell(entry& e) noexcept {
    entry*& head = cells_[bucket(cell_level, e.name.first >> cell_level)];
    e.next_in_cell = head;
    head = &e;
}

// Errors: std::bad_alloc; there are none then.
void name_table::make_cells() {
    cells_.assign(buckets_.size(), nullptr);
    plain_.for_each([this](entry& e) {
        if (!e.name.nothing() && level_of(e.name) < cell_level) {
            link_in_cell(e);
        }
    });
}

// Precondition: it is in its bucket.
void name_table::unlink(entry& e) noexcept {
    named_regions::take(e);
    const unsigned level = level_of(e.name);
    entry** at = &buckets_[bucket(level, granule_of(e.name, level))];
    while (*at != &e) {
        at = &(*at)->next;
    }
    *at = e.next;
    if (!cells_.empty() && level < cell_level) {
        at = &cells_[bucket(cell_level, e.name.first >> cell_level)];
        while (*at != &e) {
            at = &(*at)->next_in_cell;
        }
        *at = e.next_in_cell;
    }
}

// --- overlaps -------------------------------------------------------------------------------------------------------

template <class F>
void name_table::look_at_level(const access& a, std::size_t span, unsigned level, F&& f) const {
    const std::uintptr_t lowest = a.first >> level;
    const std::uintptr_t highest = (a.first + span - 1) >> level;
    for (std::uintptr_t granule = lowest == 0 ? 0 : lowest - 1; granule <= highest; ++granule) {
        for (entry* e = buckets_[bucket(level, granule)]; e != nullptr; e = e->next) {
            // Buckets are shared: what is found must be of this granule, or it would be found twice.
            if (level_of(e->name) == level && e->name.first >> level == granule && meet(*e, a)) {
                f(*e);
            }
        }
    }
}

// Among small objects.
template <class F>
void name_table::look_in_cells(const access& a, std::size_t span, F&& f) const {
    const std::uintptr_t lowest = a.first >> cell_level;
    const std::uintptr_t highest = (a.first + span - 1) >> cell_level;
    for (std::uintptr_t cell = lowest == 0 ? 0 : lowest - 1; cell <= highest; ++cell) {
        for (entry* e = cells_[bucket(cell_level, cell)]; e != nullptr; e = e->next_in_cell) {
            if (e->name.first >> cell_level == cell && meet(*e, a)) {
                f(*e);
            }
        }
    }
}

// Among objects, and the regions around. `span`: from the first byte to the last of what `a` names.
template <class F>
void name_table::look_among_plain(const access& a, std::size_t span, F&& f) const {
    const bool by_cells = !cells_.empty() && is_wide(span);
    const unsigned finest = by_cells ? cell_level : static_cast<unsigned>(std::countr_zero(levels_));
    look_around(a, f);
    if (levels_ != 0 && (span >> finest) > plain_.size) { // more to look at than entries
        plain_.for_each([&](entry& e) {
            if (meet(e, a)) {
                f(e);
            }
        });
        return;
    }
    if (by_cells) {
        look_in_cells(a, span, f);
    }
    for (std::uint64_t levels = by_cells ? levels_ & ~small_levels : levels_; levels != 0; levels &= levels - 1) {
        look_at_level(a, span, static_cast<unsigned>(std::countr_zero(levels)), f);
    }
}

// Among the parts of an array that have appeared: all, or those at the places that lie between the first and the last
// byte of `box`, whichever are fewer.
template <class F>
void name_table::look_among_parts(const access& a, const byte_box& box, const array& of, F&& f) const {
    const tiling& t = of.of;
    tiling::index first{};
    tiling::index last{};
    std::size_t places = 1;
    std::uintptr_t at = t.first;
    const std::array<std::size_t, 3> pitch{t.pitch[0], t.pitch[1], 1};
    std::array<std::size_t, 3> span{0, 0, 1};
    span[1] = t.extent[2];
    span[0] = (t.extent[1] - 1) * t.pitch[1] + span[1];
    bool narrow = true; // nothing but one index so far
    for (std::size_t d = 0; d < 3; ++d) {
        byte_box::range met{0, t.extent[d] - 1};
        if (narrow) {
            met = byte_box::met(at, pitch[d], span[d], t.extent[d], box.first, box.end());
            if (met.first > met.last) {
                return;
            }
            narrow = met.first == met.last;
            at += met.first * pitch[d];
        }
        first[d] = met.first / t.tile[d];
        last[d] = met.last / t.tile[d];
        places *= last[d] - first[d] + 1;
    }
    if (places > of.parts.size()) {
        for (entry* const e : of.parts) {
            if (meet(*e, a)) {
                f(*e);
            }
        }
        return;
    }
    part_name name{t, first};
    for (name.at[0] = first[0]; name.at[0] <= last[0]; ++name.at[0]) {
        for (name.at[1] = first[1]; name.at[1] <= last[1]; ++name.at[1]) {
            for (name.at[2] = first[2]; name.at[2] <= last[2]; ++name.at[2]) {
                const access there = access_to(name);
                if (overlapping(there, a)) {
                    if (entry* const e = find(there, part_level)) {
                        f(*e);
                    }
                }
            }
        }
    }
}

name_table::array* name_table::known_array(const tiling& t) const noexcept {
    const auto known = std::ranges::find_if(arrays_, [&t](const std::unique_ptr<array>& a) { return a->of == t; });
    return known != arrays_.end() ? known->get() : nullptr;
}

// The array of that partition, made if need be.
name_table::array& name_table::array_of(const tiling& t) {
    if (array* const known = known_array(t)) {
        return *known;
    }
    auto fresh = std::make_unique<array>(array{t, t.whole()});
    const part_name whole{{t.first, t.extent, t.extent, t.pitch}, {}};
    if (plain_.size + regions_.size != 0) {
        look_among_plain(access_to(whole), fresh->whole.span(), [&](const entry&) { fresh->alone = false; });
    }
    arrays_.reserve(arrays_.size() + 1);
    for (const std::unique_ptr<array>& other : arrays_) {
        if (overlap(other->whole, fresh->whole)) {
            fresh->others.push_back(other.get());
            other->others.push_back(fresh.get());
            fresh->alone = other->alone = false;
        }
    }
    arrays_.push_back(std::move(fresh));
    return *arrays_.back();
}

// Whether bytes or a region have something in common with the array.
bool name_table::meets(const access& a, const array& other) noexcept {
    if (is_run(a.kind)) {
        return other.whole.touches(a.first, a.first + a.extent);
    }
    const part_name whole{{other.of.first, other.of.extent, other.of.extent, other.of.pitch}, {}};
    return overlapping(a, access_to(whole));
}

// `own`: the array of which `a` is a part; null: it is none.
template <class F>
void name_table::look(const access& a, const array* own, F&& f) const {
    if (own != nullptr && own->alone) {
        return;
    }
    if (a.kind == access_kind::region) {
        look_around(a, f);
        look_within(a, f);
        return;
    }
    const byte_box box = box_of(a);
    look_among_plain(a, box.span(), f);
    if (own != nullptr) {
        for (const array* const other : own->others) {
            look_among_parts(a, box, *other, f);
        }
        return;
    }
    for (const std::unique_ptr<array>& each : arrays_) {
        if (meets(a, *each)) {
            look_among_parts(a, box, *each, f);
        }
    }
}

// For a name that appears: arrays that it touches are alone no more.
void name_table::find_overlaps(const access& a, array* own, std::vector<entry*>& found) {
    if (size() == 0 || (own != nullptr && own->alone)) {
        return;
    }
    ++searches_;
    if (a.kind != access_kind::region && cells_.empty() && plain_.size > few_granules && is_wide(box_of(a).span())) {
        make_cells();
    }
    if (own == nullptr) {
        for (const std::unique_ptr<array>& each : arrays_) {
            each->alone = each->alone && !meets(a, *each);
        }
    }
    look(a, own, [&found](entry& e) { found.push_back(&object_of(e)); });
}

std::uint64_t name_table::unwritten(const access& a) const noexcept {
    const entry& object = known(a);
    std::uint64_t first = object.unwritten;
    const auto note = [&first](entry& e) { first = std::min(first, object_of(e).unwritten); };
    look(a, a.kind == access_kind::part ? known_array(a.part->of) : nullptr, note);
    if (const entry* const elements = held_by(object)) {
        look(elements->name, nullptr, note);
    }
    return first;
}

// --- memory ---------------------------------------------------------------------------------------------------------

void name_table::pool::reserve() {
    if (vacant != nullptr) {
        return;
    }
    if (blocks.empty() || blocks.back().used == blocks.back().capacity) {
        const std::size_t capacity = std::max<std::size_t>(8, size);
        blocks.push_back({std::make_unique<entry[]>(capacity), capacity, 0});
    }
}

// One block is kept: the next round is likely to need as much.
void name_table::pool::clear() noexcept {
    if (blocks.size() > 1) {
        blocks.erase(blocks.begin(), blocks.end() - 1);
    }
    for (const block& b : blocks) {
        for (std::size_t i = 0; i < b.used; ++i) {
            std::destroy_at(&b.entries[i]);
            std::construct_at(&b.entries[i]);
        }
    }
    if (!blocks.empty()) {
        blocks.back().used = 0;
    }
    size = 0;
    vacant = nullptr;
}

void name_table::grow() {
    std::vector<entry*> wider(std::max<std::size_t>(16, 2 * buckets_.size()), nullptr);
    std::vector<entry*> more_cells(cells_.empty() ? 0 : wider.size(), nullptr);
    buckets_.swap(wider);
    cells_.swap(more_cells);
    bucket_shift_ = 64 - std::countr_zero(buckets_.size());
    for_each([this](entry& e) {
        if (!e.name.nothing()) { // else a container that is empty now
            link(e, level_of(e.name));
        }
    });
}

void name_table::clear() noexcept {
    std::fill(buckets_.begin(), buckets_.end(), nullptr);
    cells_.clear();
    plain_.clear();
    regions_.clear();
    parts_.clear();
    levels_ = 0;
    around_.reset();
    arrays_.clear();
    part_names_.clear();
    held_.reset();
}

bool name_table::forget_written() noexcept {
    name_table fewer;
    try {
        for_each([&fewer, this](const entry& e) {
            if (e.unwritten != no_child) {
                entry& kept = fewer.at(e.name);
                kept.unwritten = e.unwritten;
                kept.covered_by = e.covered_by;
                if (const entry* const elements = held_by(e)) {
                    fewer.hold(kept, elements->name.first, elements->name.extent);
                }
            }
        });
    } catch (const std::bad_alloc&) {
        return false;
    }
    fewer.overlaps_ = overlaps_;
    fewer.searches_ = searches_;
    *this = std::move(fewer);
    return true;
}

} // namespace skerry::inline SKERRY_ABI::detail
