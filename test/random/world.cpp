// SPDX-License-Identifier: Apache-2.0

#include "world.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "coherence/extents.hpp"
#include "coherence/size_class.hpp"
#include "memory_audit.hpp"

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

std::span<const std::byte> bytes_of(std::span<const word> words) { return std::as_bytes(words); }

// Memory without objects costs the same, however much it is.
bool is_bare(std::size_t size) { return size == own_page || size == two_pages; }

std::span<word> take_bare(skerry::region around, std::size_t size) {
    const std::size_t alignment = size == own_page ? skerry::detail::page_bytes : alignof(word);
    void* const first =
        skerry::detail::take_memory(skerry::detail::region_id{around.id()}, size * sizeof(word), alignment, "slot");
    return {static_cast<word*>(first), size};
}

void give_bare(skerry::region around, std::span<word> gone) {
    skerry::detail::give_memory(skerry::detail::region_id{around.id()}, gone.data());
}

} // namespace

void directory::make_slot(unsigned n, skerry::region around, unsigned size, std::uint32_t id) {
    if (size == 0) {
        noted[n] = around.make<witness>(mixed(id), &ended);
        slot[n] = {&noted[n]->value, 1};
    } else {
        slot[n] = is_bare(size) ? take_bare(around, size) : around.make_array<word>(size);
        slot[n].front() = 0;
        slot[n].back() = mixed(id);
    }
}

void directory::destroy_slot(unsigned n, skerry::region around) {
    const std::span<word> gone = std::exchange(slot[n], {});
    if (witness* const w = std::exchange(noted[n], nullptr)) {
        around.destroy(w);
    } else if (is_bare(gone.size())) {
        give_bare(around, gone);
    } else {
        around.destroy(gone.data());
    }
}

void directory::make_sub(skerry::region around, std::uint32_t id) {
    sub = around.create();
    in_sub = sub.make<word>(mixed(id));
    for (witness*& w : witnesses) {
        w = sub.make<witness>(mixed(++id), &ended);
    }
}

void directory::destroy_sub() {
    in_sub = nullptr;
    sub.destroy(witnesses[1]); // first: the order is seen
    sub.destroy_all();
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
    case access::kind::shelf: all.emplace_back(&array->list.title, 1); [[fallthrough]];
    case access::kind::list: all.emplace_back(element, array_words); break;
    }
    return all;
}

world::world(const program& p, std::uint32_t number)
    : statements_(p.statements),
      home_(skerry::root_region().create()),
      where_{} {
    where_.program = number;
    where_.cell = home_.make_array<word>(cells).data();
    std::vector<word, skerry::region_allocator<word>> elements(array_words, home_.allocator<word>());
    where_.array = home_.make<shelf>(titled_list{std::move(elements), 1});
    where_.element = where_.array->list.words.data();
    where_.log = statements_ != 0 ? home_.make_array<word>(statements_).data() : nullptr;
    for (unsigned r = 0; r < regions; ++r) {
        auto& here = where_.region[r];
        here.handle = (r == 0 ? home_ : where_.region[0].handle).create();
        for (object*& o : here.objects) {
            o = here.handle.make<object>();
        }
        here.contents = here.handle.make<directory>();
        here.contents->make_slot(0, here.handle, own_page, r);
    }
    // There from the beginning, so that few statements show what becomes of it elsewhere.
    where_.region[2].contents->make_sub(where_.region[2].handle, 0);
    live_through(p.history);
    word next = 0;
    for (unsigned i = 0; i < words; ++i) {
        where_.range({access::kind::range, mode::out, i, 1})[0] = mixed(++next);
    }
}

// Each number destroys one of those objects, or makes it.
void world::live_through(const std::vector<std::uint8_t>& history) {
    for (const unsigned each : history) {
        std::span<word>& o = older_.at(each % older_.size());
        if (o.empty()) {
            o = take_bare(home_, each < 64 ? two_pages : own_page);
        } else {
            give_bare(home_, std::exchange(o, {}));
        }
    }
}

world::~world() { home_.destroy_all(); }

std::vector<word> world::contents() const {
    std::vector<word> all(where_.cell, where_.cell + cells);
    all.insert(all.end(), where_.element, where_.element + array_words);
    all.push_back(where_.array->list.title);
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

std::vector<world::books> world::all_books() const {
    std::vector<books> all;
    all.push_back({"the region of the cells",
                   home_,
                   {bytes_of({where_.cell, cells}), bytes_of(words_of(where_.array)),
                    bytes_of({where_.element, array_words}), bytes_of({where_.log, statements_})}});
    for (const std::span<word> o : older_) {
        all.front().objects.push_back(bytes_of(o));
    }
    constexpr std::array names{"region 0", "region 1", "region 2"};
    constexpr std::array names_within{"the region within region 0", "the region within region 1",
                                      "the region within region 2"};
    for (unsigned r = 0; r < regions; ++r) {
        const auto& here = where_.region[r];
        const directory& d = *here.contents;
        books& own = all.emplace_back(names.at(r), here.handle);
        own.objects = {bytes_of(*here.objects[0]), bytes_of(*here.objects[1]), bytes_of(words_of(here.contents))};
        for (unsigned n = 0; n < slots; ++n) {
            own.objects.push_back(bytes_of(d.noted.at(n) != nullptr ? words_of(d.noted.at(n)) : d.slot.at(n)));
        }
        if (d.in_sub != nullptr) {
            books& within = all.emplace_back(names_within.at(r), d.sub);
            within.objects.push_back(bytes_of({d.in_sub, 1}));
            for (const witness* const w : d.witnesses) {
                within.objects.push_back(bytes_of(words_of(w)));
            }
        }
    }
    return all;
}

std::string world::memory() const {
    std::string text;
    for (const books& b : all_books()) {
        text += audit_region(b.name, b.of, b.objects);
    }
    text += audit_refusal(where_.region[0].handle, where_.cell[0]);
    if (skerry::detail::slot_of(skerry::detail::region_id{home_.id()}) > most_region_slots) {
        text += "places of regions that are gone are not used again\n";
    }
    return text;
}

std::vector<skerry::detail::page_range> world::pages() const {
    std::vector<skerry::detail::page_range> all;
    for (const books& b : all_books()) {
        std::ranges::copy(skerry::detail::pages_of(skerry::detail::region_id{b.of.id()}), std::back_inserter(all));
    }
    return all;
}

} // namespace random_programs
