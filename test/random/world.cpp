// SPDX-License-Identifier: Apache-2.0

#include "world.hpp"

#include <set>
#include <sstream>

#include "coherence/extents.hpp"
#include "coherence/size_class.hpp"

namespace random_programs {

namespace {

void add_dynamic(const directory& d, std::vector<std::span<word>>& pieces) {
    for (const std::span<word> made : d.slot) {
        if (!made.empty()) {
            pieces.push_back(made.last(1));
        }
    }
    if (d.in_sub != nullptr) {
        pieces.emplace_back(d.in_sub, 1);
    }
}

// No program has nearly as many regions at a time.
constexpr std::uint64_t most_region_slots = 200;

std::uintptr_t slab_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p) / skerry::detail::slab_bytes; }

template <class T>
std::span<const word> words_of(const T* object) {
    static_assert(sizeof(T) % sizeof(word) == 0);
    return {reinterpret_cast<const word*>(object), sizeof(T) / sizeof(word)};
}

} // namespace

void directory::make_slot(unsigned n, skerry::region around, unsigned size, std::uint32_t id) {
    slot[n] = around.make_array<word>(size);
    slot[n].back() = mixed(id);
}

void directory::make_sub(skerry::region around, std::uint32_t id) {
    sub = around.create();
    in_sub = sub.make<word>(mixed(id));
    sub.make<witness>(mixed(id + 1), &ended);
    destroyed_first = sub.make<witness>(mixed(id + 2), &ended);
    sub.make<witness>(mixed(id + 3), &ended);
}

std::span<word> layout::range(const access& a) const noexcept {
    if (a.first < plain_words) {
        return {a.first < cells ? cell + a.first : element + (a.first - cells), a.count};
    }
    const unsigned n = a.first - plain_words;
    object& o = *region[n / region_words].objects[n % region_words / 2];
    return {o.data() + n % 2, a.count};
}

std::vector<std::span<word>> layout::pieces(const access& a) const {
    std::vector<std::span<word>> all;
    switch (a.what) {
    case access::kind::range: all.push_back(range(a)); break;
    case access::kind::region:
        for (unsigned r = a.first; r < (a.first == 0 ? regions : a.first + 1); ++r) {
            for (object* const o : region[r].objects) {
                all.emplace_back(*o);
            }
            add_dynamic(*region[r].contents, all);
        }
        break;
    case access::kind::slot:
        if (const std::span<word> made = region[a.first].contents->slot[a.count]; !made.empty()) {
            all.push_back(made.last(1));
        }
        break;
    case access::kind::sub:
        if (in_sub != nullptr) {
            all.emplace_back(in_sub, 1);
        }
        break;
    }
    return all;
}

world::world(std::size_t statements, std::uint32_t program)
    : statements_(statements),
      home_(skerry::root_region().create()),
      where_{} {
    where_.program = program;
    where_.cell = home_.make_array<word>(cells).data();
    where_.array = home_.make<number_list>(array_words, home_.allocator<word>());
    where_.element = where_.array->data();
    where_.log = statements != 0 ? home_.make_array<word>(statements).data() : nullptr;
    for (unsigned r = 0; r < regions; ++r) {
        auto& here = where_.region[r];
        here.handle = (r == 0 ? home_ : where_.region[0].handle).create();
        for (object*& o : here.objects) {
            o = here.handle.make<object>();
        }
        here.contents = here.handle.make<directory>();
    }
    // There from the beginning, so that few statements show what becomes of it elsewhere.
    where_.region[2].contents->make_sub(where_.region[2].handle, 0);
    word next = 0;
    for (unsigned i = 0; i < words; ++i) {
        where_.range({access::kind::range, mode::out, i, 1})[0] = mixed(++next);
    }
}

world::~world() { home_.destroy_all(); }

std::vector<word> world::contents() const {
    std::vector<word> all(where_.cell, where_.cell + cells);
    all.insert(all.end(), where_.array->begin(), where_.array->end());
    for (const auto& r : where_.region) {
        for (const object* const o : r.objects) {
            all.insert(all.end(), o->begin(), o->end());
        }
        for (const std::span<const word> made : r.contents->slot) {
            all.push_back(made.empty() ? 0 : made.front() ^ mixed(made.back()));
        }
        all.push_back(r.contents->in_sub != nullptr ? *r.contents->in_sub : 0);
        all.push_back(r.contents->ended);
    }
    return all;
}

std::string world::memory() const {
    std::ostringstream text;
    const auto compare = [&text](const char* name, skerry::region r,
                                 const std::vector<std::span<const word>>& objects) {
        std::set<std::uintptr_t> slabs;
        for (const std::span<const word> o : objects) {
            for (auto at = slab_of(o.data()); !o.empty() && at <= slab_of(&o.back()); ++at) {
                slabs.insert(at);
            }
        }
        for (const auto& e : skerry::detail::extents_of(skerry::detail::region_id{r.id()}, false)) {
            for (std::size_t offset = 0; offset < e.bytes; offset += skerry::detail::slab_bytes) {
                if (slabs.erase(slab_of(e.first + offset)) == 0) {
                    text << name << " holds memory in which nothing lies\n";
                }
            }
        }
        if (!slabs.empty()) {
            text << name << " does not hold all that lies there\n";
        }
    };
    compare("the region of the cells", home_,
            {{where_.cell, cells}, words_of(where_.array), *where_.array, {where_.log, statements_}});
    constexpr std::array names{"region 0", "region 1", "region 2"};
    for (unsigned r = 0; r < regions; ++r) {
        const auto& here = where_.region[r];
        std::vector<std::span<const word>> objects(here.contents->slot.begin(), here.contents->slot.end());
        objects.emplace_back(*here.objects[0]);
        objects.emplace_back(*here.objects[1]);
        objects.push_back(words_of(here.contents));
        compare(names.at(r), here.handle, objects);
    }
    if (skerry::detail::slot_of(skerry::detail::region_id{home_.id()}) > most_region_slots) {
        text << "places of regions that are gone are not used again\n";
    }
    return text.str();
}

} // namespace random_programs
