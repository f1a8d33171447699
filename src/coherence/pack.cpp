// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/port/code.hpp"
#include "base/text.hpp"
#include "coherence/arena.hpp"
#include "coherence/parcel.hpp"
#include "coherence/parcel_format.hpp"
#include "coherence/region_state.hpp"
#include "coherence/region_table.hpp"
#include "coherence/region_tree.hpp"

namespace skerry::inline SKERRY_ABI::detail {

namespace {

[[noreturn]] void refuse(region_id id, const std::string& why) {
    fixed_text<80> t;
    t << "skerry: region " << hex{bits_of(id)} << " cannot cross to another process: ";
    throw std::logic_error(std::string(t.view()) + why);
}

packed_slab pack_slab(const slab& s) {
    packed_slab packed;
    packed.index = s.index;
    packed.use = static_cast<std::uint64_t>(s.use);
    if (s.use == slab_use::blocks) {
        packed.size_class = s.size_class;
        for (std::size_t w = 0; w < packed.free.size(); ++w) {
            packed.free[w] = s.free.word(w);
        }
    } else {
        packed.run = s.run;
    }
    return packed;
}

bool has_busy(const slab& s, std::size_t records) noexcept {
    return s.records != nullptr &&
           std::any_of(s.records.get(), s.records.get() + records, [](auto& r) { return r.destroy == &busy; });
}

packed_page pack_page(const arena& a, const page& p, region_id id) {
    packed_page packed{.number = a.number_of(p), .pages = p.pages, .bytes = p.bytes, .slabs = {}};
    bool is_busy = p.bytes != 0 && has_busy(p.slabs.front(), 1);
    for (const slab& s : p.slabs) {
        if (p.bytes != 0 || (s.use != slab_use::blocks && s.use != slab_use::run)) {
            continue;
        }
        is_busy = is_busy || has_busy(s, s.use == slab_use::blocks ? blocks_of(s.size_class) : 1);
        packed.slabs.push_back(pack_slab(s));
    }
    if (is_busy) {
        refuse(id, "an object is being made or destroyed there");
    }
    return packed;
}

packed_record pack_record(const object_record& r, region_id id) {
    const auto code = reinterpret_cast<std::uintptr_t>(r.destroy);
    const auto offset = port::code_offset(code);
    if (!offset) {
        fixed_text<100> object;
        object << "the destructor of the object at " << static_cast<const void*>(r.first) << " lies at ";
        refuse(id, std::string(object.view()) + port::describe_code(code) + ", outside of the main program");
    }
    return {.first = reinterpret_cast<std::uintptr_t>(r.first), .count = r.count, .destructor = *offset};
}

// Regions that are marked as away, and are not if not all can be.
class marks {
  public:
    marks() = default;
    marks(const marks&) = delete;
    marks& operator=(const marks&) = delete;
    ~marks() {
        for (region_state* const s : marked_) {
            const std::lock_guard guard(s->guard);
            s->away = false;
        }
    }

    // With the lock held.
    void mark(region_state& s) {
        marked_.push_back(&s);
        s.away = true;
    }
    void keep() noexcept { marked_.clear(); }

  private:
    std::vector<region_state*> marked_;
};

class packer {
  public:
    packer(bool recursive, handing how) : recursive_(recursive), how_(how) {}

    std::vector<std::byte> pack(region_state& top, region_id id) {
        place();
        parcel_.top = id;
        for (const region_state* s = top.parent.load(memory_order::relaxed); s != nullptr; // relaxed: constant
             s = s->parent.load(memory_order::relaxed)) {
            parcel_.above.push_back({.id = s->id.load(memory_order::relaxed), .level = s->level});
        }
        std::reverse(parcel_.above.begin(), parcel_.above.end());
        parcel_.regions.push_back({.id = id, .whole = true, .pages = {}, .records = {}});
        states_.push_back(&top);
        for (std::size_t i = 0; i < states_.size(); ++i) {
            pack_one(i);
        }
        std::vector<std::byte> bytes = to_bytes(parcel_);
        marks_.keep();
        return bytes;
    }

    std::vector<std::byte> pack_end(region_id id) {
        place();
        parcel_.top = id;
        parcel_.gone = true;
        return to_bytes(parcel_);
    }

  private:
    void place() {
        parcel_.arena_address = arena::instance().place().address;
        parcel_.arena_bytes = arena::instance().place().bytes;
        parcel_.how = how_;
    }

    void pack_one(std::size_t i) {
        region_state& s = *states_[i];
        packed_region r = std::move(parcel_.regions[i]);
        const std::lock_guard guard(s.guard);
        r.level = s.level;
        if (r.whole) {
            check(s, r.id);
            if (how_ == handing::over) {
                marks_.mark(s); // first of all: from here on nobody makes anything there
            }
            pack_content(s, r);
            for (region_state* c = s.newest_child; c != nullptr; c = c->older_sibling) {
                const region_id child = c->id.load(memory_order::relaxed); // relaxed: linked under this lock
                parcel_.regions.push_back({.id = child, .parent = i, .whole = recursive_, .pages = {}, .records = {}});
                states_.push_back(c);
            }
        }
        parcel_.regions[i] = std::move(r);
    }

    void check(const region_state& s, region_id id) const {
        if (s.id.load(memory_order::relaxed) != id) { // relaxed: locked
            refuse(id, "it is being destroyed");
        }
        if (s.away && how_ == handing::over) {
            refuse(id, "another process writes it");
        }
        if (s.going) {
            refuse(id, "it is being destroyed");
        }
    }

    static void pack_content(const region_state& s, packed_region& r) {
        const arena& a = arena::instance();
        for (const page* p = s.pages; p != nullptr; p = p->next) {
            r.pages.push_back(pack_page(a, *p, r.id));
        }
        for (const object_record* o = s.newest; o != nullptr; o = o->older) {
            r.records.push_back(pack_record(*o, r.id));
        }
        std::reverse(r.pages.begin(), r.pages.end()); // each is put before the others when it arrives
        std::reverse(r.records.begin(), r.records.end());
    }

    bool recursive_;
    handing how_;
    parcel parcel_;
    std::vector<region_state*> states_; // of parcel_.regions
    marks marks_;
};

} // namespace

bool written_here(region_id id) noexcept {
    region_state* const s = region_table::instance().find(id);
    if (s == nullptr) {
        return false;
    }
    const std::lock_guard guard(s->guard);
    return s->id.load(memory_order::relaxed) == id && !s->away; // relaxed: locked
}

std::vector<std::byte> pack_region(region_id id, bool recursive, handing how) {
    packer pack(recursive, how);
    region_state* const top = region_table::instance().find(id);
    if (top != nullptr) {
        return pack.pack(*top, id);
    }
    if (id == region_id::none || how == handing::copy) {
        refuse(id, "it is not here");
    }
    return pack.pack_end(id);
}

} // namespace skerry::inline SKERRY_ABI::detail
