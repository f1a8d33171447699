// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/port/code.hpp"
#include "base/port/poison.hpp"
#include "base/text.hpp"
#include "coherence/arena.hpp"
#include "coherence/parcel.hpp"
#include "coherence/parcel_format.hpp"
#include "coherence/region_state.hpp"
#include "coherence/region_table.hpp"
#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

[[noreturn]] void refuse_bytes(const char* what, region_id id) {
    fixed_text<200> t;
    t << "skerry: no parcel of regions: " << what << " (region " << hex{bits_of(id)} << ')';
    throw std::invalid_argument(t.c_str());
}

[[noreturn]] void refuse_conflict(region_id id) {
    fixed_text<200> t;
    t << "skerry: region " << hex{bits_of(id)} << " comes from another process, but this one writes it";
    throw std::logic_error(t.c_str());
}

[[noreturn]] void refuse_page(std::uint64_t number, region_id id) {
    fixed_text<200> t;
    t << "skerry: page " << number << " comes with region " << hex{bits_of(id)}
      << " from another process, but this one uses it";
    throw std::logic_error(t.c_str());
}

region_state* parent_of(const region_state& s) noexcept {
    return s.parent.load(memory_order::relaxed); // relaxed: constant since the id was published
}

region_id id_of(const region_state& s) noexcept {
    return s.id.load(memory_order::relaxed); // relaxed: nobody else changes what a parcel brings
}

bool is_here(region_state& s) noexcept {
    const std::lock_guard guard(s.guard);
    return !s.away;
}

// The region whose bookkeeping this process would lose must be written elsewhere, with all within.
void check_away(region_id top) {
    for (const region_id id : subtree(top)) {
        region_state* const s = region_table::instance().find(id);
        if (s != nullptr && is_here(*s)) {
            refuse_conflict(id);
        }
    }
}

void fill(page& p, const packed_page& from) noexcept {
    p.bytes = static_cast<std::size_t>(from.bytes);
    if (p.bytes != 0) {
        p.unused_count = 0;
        return;
    }
    for (const packed_slab& each : from.slabs) {
        const auto index = static_cast<std::size_t>(each.index);
        slab& s = p.slabs[index];
        s.use = static_cast<slab_use>(each.use);
        s.next = s.before = nullptr;
        if (s.use == slab_use::blocks) {
            s.size_class = static_cast<std::uint8_t>(each.size_class);
            s.free_count = 0;
            for (std::size_t w = 0; w < each.free.size(); ++w) {
                s.free.set_word(w, each.free[w]);
                s.free_count = static_cast<std::uint16_t>(s.free_count + std::popcount(each.free[w]));
            }
        }
        const std::size_t count = s.use == slab_use::run ? static_cast<std::size_t>(each.run) : 1;
        for (std::size_t i = 0; i < count; ++i) {
            p.unused.erase(index + i);
            if (s.use == slab_use::run) {
                p.slabs[index + i].use = i == 0 ? slab_use::run : slab_use::run_rest;
                p.slabs[index + i].run = static_cast<std::uint16_t>(i == 0 ? count : i);
            }
        }
        p.unused_count -= count;
    }
}

// For AddressSanitizer. Never poisons a live block, not for a moment: somebody may be reading it.
void mark_memory(page& p) noexcept {
    if constexpr (port::poisons) {
        if (p.bytes != 0) {
            port::unpoison(p.begin, p.bytes);
            return;
        }
        for (slab& s : p.slabs) {
            std::byte* const first = p.begin_of(s);
            if (s.use == slab_use::blocks) {
                const std::size_t size = block_sizes[s.size_class];
                for (std::size_t i = 0; i < blocks_of(s.size_class); ++i) {
                    s.free.has(i) ? port::poison(first + i * size, size) : port::unpoison(first + i * size, size);
                }
            } else {
                s.use == slab_use::unused ? port::poison(first, slab_bytes) : port::unpoison(first, slab_bytes);
            }
        }
    }
}

// A region that came whole, in the making.
struct built_region {
    const packed_region* from = nullptr;
    region_state* state = nullptr;
    std::vector<page*> pages; // as the parcel has them; blank ones until they are in the table
    std::vector<bool> known;  // the table has this page already
    object_record* newest = nullptr;
};

// Steps: check everything, fetch whatever may be missing (both throw and change nothing), then change (never throws).
class arrival {
  public:
    explicit arrival(std::span<const std::byte> bytes)
        : arena_(arena::instance()),
          parcel_(from_bytes(bytes, arena_.place().address, arena_.place().bytes)) {}
    arrival(const arrival&) = delete;
    arrival& operator=(const arrival&) = delete;
    ~arrival() {
        for (page* const p : blank_) {
            arena_.discard(*p);
        }
    }

    void run() {
        if (parcel_.gone) {
            check_away(parcel_.top);
            if (region_state* const s = table_.find(parcel_.top)) {
                forget_region(*s);
            }
            return;
        }
        check();
        fetch();
        change();
    }

  private:
    // A region that the parcel names, and its state; its parent is known by then.
    struct place_of {
        region_id id = region_id::none;
        region_state* state = nullptr;
        region_state* parent = nullptr;
        int level = 0;
    };

    void check() {
        for (const packed_name& n : parcel_.above) {
            names_.push_back({.id = n.id, .level = static_cast<int>(n.level)});
            ids_.push_back(n.id);
        }
        for (const packed_region& r : parcel_.regions) {
            names_.push_back({.id = r.id, .level = static_cast<int>(r.level)});
            ids_.push_back(r.id);
        }
        std::sort(ids_.begin(), ids_.end());
        for (std::size_t i = 0; i < names_.size(); ++i) {
            check_name(names_[i], i);
        }
        for (const packed_region& r : parcel_.regions) {
            if (r.whole) {
                check_region(r);
            }
        }
    }

    // The place in names_ of the region around names_[i]; names_.size(): none.
    [[nodiscard]] std::size_t parent_place(std::size_t i) const noexcept {
        const std::size_t above = parcel_.above.size();
        if (i <= above) {
            return i == 0 ? names_.size() : i - 1;
        }
        return above + static_cast<std::size_t>(parcel_.regions[i - above].parent);
    }

    void check_name(const place_of& n, std::size_t i) {
        const std::size_t above = parent_place(i);
        if (region_state* const known = table_.find(n.id)) {
            const region_state* const parent = parent_of(*known);
            if ((parent == nullptr) != (above == names_.size()) ||
                (parent != nullptr && id_of(*parent) != names_[above].id)) {
                refuse_bytes("it says that a region lies elsewhere", n.id);
            }
            return;
        }
        if (process_of(n.id) == table_.process()) {
            refuse_bytes("it names a region that this process has made, and that is gone", n.id);
        }
        const region_state* const other = table_.find_guest(n.id);
        const region_id had = other != nullptr ? id_of(*other) : region_id::none;
        if (had == region_id::none) {
            return;
        }
        if (bits_of(had) > bits_of(n.id)) { // the same slot: the serials decide
            refuse_bytes("it is older than what is known here", n.id);
        }
        check_away(had);
    }

    void check_region(const packed_region& r) {
        if (region_state* const known = table_.find(r.id)) {
            if (is_here(*known)) {
                refuse_conflict(r.id);
            }
            for (const region_id child : children_of(*known)) {
                if (!in_parcel(child)) {
                    check_away(child);
                }
            }
        }
        for (const packed_page& p : r.pages) {
            const page_range range{.first = static_cast<std::size_t>(p.number),
                                   .count = static_cast<std::size_t>(p.pages)};
            if (arena_.may_hand_out(range)) {
                refuse_page(p.number, r.id);
            }
            for (std::size_t i = range.first; i < range.first + range.count; ++i) {
                const page* const used = arena_.page_at(i);
                const region_id by = used != nullptr ? used->owner.load(memory_order::relaxed) // relaxed: a number
                                                     : region_id::none;
                region_state* const s = by != region_id::none ? table_.find(by) : nullptr;
                if (used != nullptr && (s == nullptr || is_here(*s))) {
                    refuse_page(i, r.id);
                }
            }
        }
    }

    static std::vector<region_id> children_of(region_state& s) {
        std::vector<region_id> found;
        const std::lock_guard guard(s.guard);
        for (const region_state* c = s.newest_child; c != nullptr; c = c->older_sibling) {
            found.push_back(id_of(*c));
        }
        return found;
    }

    [[nodiscard]] bool in_parcel(region_id id) const noexcept {
        return std::binary_search(ids_.begin(), ids_.end(), id);
    }

    void fetch() {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            place_of& n = names_[i];
            region_state* const known = table_.find(n.id);
            n.state = known != nullptr ? known : &table_.guest(n.id);
            const std::size_t above = parent_place(i);
            n.parent = above != names_.size() ? names_[above].state : nullptr;
        }
        for (std::size_t i = 0; i < parcel_.regions.size(); ++i) {
            const packed_region& r = parcel_.regions[i];
            if (r.whole) {
                built_.push_back(
                    {.from = &r, .state = names_[parcel_.above.size() + i].state, .pages = {}, .known = {}});
                whole_.push_back(r.id);
                fetch_pages(r, built_.back());
                fetch_records(r, built_.back());
            }
        }
        std::sort(whole_.begin(), whole_.end());
    }

    void fetch_pages(const packed_region& r, built_region& b) {
        for (const packed_page& from : r.pages) {
            const page_range range{.first = static_cast<std::size_t>(from.number),
                                   .count = static_cast<std::size_t>(from.pages)};
            if (!arena_.open(range, r.pages.size() > 1)) {
                throw std::bad_alloc();
            }
            blank_.reserve(blank_.size() + 1);
            page& p = arena_.describe(range);
            blank_.push_back(&p);
            fill(p, from);
            b.pages.push_back(&p);
        }
        b.known.resize(b.pages.size());
    }

    void fetch_records(const packed_region& r, built_region& b) {
        std::vector<page*> by_address = b.pages;
        const auto before = [](const page* x, const page* y) { return x->begin < y->begin; };
        std::sort(by_address.begin(), by_address.end(), before);
        for (const packed_record& from : r.records) {
            auto* const first = reinterpret_cast<std::byte*>(from.first);
            const auto after = std::upper_bound(by_address.begin(), by_address.end(), first,
                                                [](const std::byte* x, const page* y) { return x < y->begin; });
            page* const p = after != by_address.begin() ? *std::prev(after) : nullptr;
            const bool inside = p != nullptr && static_cast<std::size_t>(first - p->begin) < p->pages * page_bytes;
            const block_place at = inside ? region_state::block_at(*p, first) : block_place{};
            const auto code = port::code_address(from.destructor);
            if (at.of == nullptr || !code || from.count == 0 || from.count > p->pages * page_bytes) {
                refuse_bytes("it notes a destructor where no object is, or none where code is", r.id);
            }
            if (at.of->records == nullptr) {
                at.of->records = std::make_unique<object_record[]>(
                    p->bytes == 0 && at.of->use == slab_use::blocks ? blocks_of(at.of->size_class) : 1);
            }
            object_record& record = at.of->records[at.index];
            if (record.destroy != nullptr) {
                refuse_bytes("it notes two destructors for an object", r.id);
            }
            record = {.older = b.newest,
                      .newer = nullptr,
                      .destroy = reinterpret_cast<destroyer>(*code),
                      .first = first,
                      .count = static_cast<std::size_t>(from.count)};
            if (b.newest != nullptr) {
                b.newest->newer = &record;
            }
            b.newest = &record;
        }
    }

    void change() noexcept {
        for (const place_of& n : names_) { // what had their slots before is dead
            if (id_of(*n.state) != n.id && id_of(*n.state) != region_id::none) {
                forget_region(*n.state);
            }
        }
        for (const place_of& n : names_) {
            if (id_of(*n.state) != n.id) {
                place_region(*n.state, n.id, n.parent, n.level);
            }
        }
        for (const built_region& b : built_) {
            while (region_state* const child = child_left_out(*b.state)) {
                forget_region(*child);
            }
            forget_users(b);
        }
        for (built_region& b : built_) {
            match_pages(b);
        }
        for (built_region& b : built_) {
            install(b);
        }
        blank_.clear();
    }

    region_state* child_left_out(region_state& s) const noexcept {
        const std::lock_guard guard(s.guard);
        region_state* c = s.newest_child;
        while (c != nullptr && in_parcel(id_of(*c))) {
            c = c->older_sibling;
        }
        return c;
    }

    // Regions elsewhere that had these pages when this process heard of them last. All that is known of them is old.
    void forget_users(const built_region& b) noexcept {
        for (const page* const p : b.pages) {
            const std::size_t first = arena_.number_of(*p);
            for (std::size_t i = first; i < first + p->pages; ++i) {
                const page* const used = arena_.page_at(i);
                region_state* const by =
                    used != nullptr ? table_.find(used->owner.load(memory_order::relaxed)) : nullptr;
                if (by != nullptr && !std::binary_search(whole_.begin(), whole_.end(), id_of(*by))) {
                    forget_content(*by);
                }
            }
        }
    }

    // Pages that the region has already keep their descriptors, so that who asks for an address meanwhile gets the
    // same answer all along.
    void match_pages(built_region& b) noexcept {
        for (page* old = take_content(*b.state); old != nullptr;) {
            page& p = *std::exchange(old, old->next);
            const auto same = std::find_if(b.pages.begin(), b.pages.end(),
                                           [&p](const page* n) { return n->begin == p.begin && n->pages == p.pages; });
            if (same == b.pages.end()) {
                arena_.forget(p);
                continue;
            }
            p.take_over(**same);
            arena_.discard(**same);
            *same = &p;
            b.known[static_cast<std::size_t>(same - b.pages.begin())] = true;
        }
    }

    void install(built_region& b) noexcept {
        region_state& s = *b.state;
        for (std::size_t i = 0; i < b.pages.size(); ++i) {
            if (!b.known[i]) {
                arena_.install(*b.pages[i], b.from->id);
            }
            mark_memory(*b.pages[i]);
        }
        const std::lock_guard guard(s.guard);
        for (page* const p : b.pages) {
            s.put(*p);
        }
        s.newest = b.newest;
        s.level = static_cast<int>(b.from->level);
        s.away = parcel_.how == handing::copy;
    }

    arena& arena_;
    region_table& table_ = region_table::instance();
    parcel parcel_;
    std::vector<place_of> names_;  // above, then regions
    std::vector<region_id> ids_;   // the same, sorted
    std::vector<region_id> whole_; // what came whole, sorted
    std::vector<built_region> built_;
    std::vector<page*> blank_; // all descriptors of built_, until they are in the table
};

} // namespace

void unpack_region(std::span<const std::byte> bytes) { arrival(bytes).run(); }

} // namespace skerry::inline SKERRY_ABI::detail
