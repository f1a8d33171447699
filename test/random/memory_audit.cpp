// SPDX-License-Identifier: Apache-2.0

#include "memory_audit.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/parcel.hpp"
#include "coherence/region_table.hpp"

namespace random_programs {

namespace {

using skerry::detail::arena;
using skerry::detail::page;
using skerry::detail::page_bytes;
using skerry::detail::page_range;
using skerry::detail::page_slabs;
using skerry::detail::region_id;
using skerry::detail::region_state;
using skerry::detail::slab;
using skerry::detail::slab_bytes;
using skerry::detail::slab_use;

// Programs use fewer.
constexpr std::size_t first_pages = 96;

bool in_use_or_at_hand(std::size_t number) {
    arena& a = arena::instance();
    return a.page_at(number) != nullptr || a.may_hand_out({.first = number, .count = 1});
}

// One region: what is wrong goes to `text`.
class region_audit {
  public:
    region_audit(const region_state& s, const std::vector<std::span<const std::byte>>& objects, std::ostream& text)
        : objects_(objects),
          text_(text) {
        std::size_t empty = 0;
        for (page* p = s.pages; p != nullptr; p = p->next) {
            look_at(*p);
            empty += p->bytes == 0 && p->unused_count == page_slabs ? 1 : 0;
        }
        check(empty == 0, "pages in which nothing lies");
        check(seen_ == objects.size(), "objects outside of its pages");
        check(with_room_ == listed(s.with_room, &page::next_with_room),
              "another list of pages with room than there are");
        for (std::size_t c = 0; c < with_free_.size(); ++c) {
            check(with_free_[c] == listed(s.with_free[c], &slab::next),
                  "another list of slabs with room than there are");
            check(empty_slabs_[c] <= 1, "more than one slab of a class in which nothing lies");
        }
    }

  private:
    void check(bool right, const char* what) {
        if (!right) {
            text_ << "there are " << what << '\n';
        }
    }

    template <class T>
    static std::set<const T*> listed(const T* first, T* T::* next) {
        std::set<const T*> all;
        for (; first != nullptr && all.insert(first).second; first = first->*next) {
        }
        return all;
    }

    // Of the objects, those that begin in this range.
    std::size_t begin_within(const std::byte* first, std::size_t bytes) {
        const auto n = static_cast<std::size_t>(std::ranges::count_if(
            objects_, [=](const auto& o) { return first <= o.data() && o.data() < first + bytes; }));
        seen_ += n;
        return n;
    }

    void look_at(page& p) {
        arena& a = arena::instance();
        const std::size_t first = a.number_of(p);
        for (std::size_t i = first; i < first + p.pages; ++i) {
            check(a.page_at(i) == &p, "pages that the arena does not find");
            check(!a.may_hand_out({.first = i, .count = 1}), "pages in use that may be handed out");
        }
        if (p.bytes != 0) {
            check(begin_within(p.begin, 1) == 1, "pages of an object that is gone");
            return;
        }
        std::size_t unused = 0;
        for (slab& s : p.slabs) {
            check(p.unused.has(s.index) == (s.use == slab_use::unused), "slabs that are used and unused");
            unused += s.use == slab_use::unused ? 1 : 0;
            if (s.use == slab_use::run) {
                check(begin_within(p.begin_of(s), s.run * slab_bytes) == 1, "runs of an object that is gone");
            } else if (s.use == slab_use::blocks) {
                look_at(p, s);
            }
        }
        check(unused == p.unused_count, "pages with another number of unused slabs than is said");
        if (p.unused_count != 0) {
            with_room_.insert(&p);
        }
    }

    void look_at(page& p, const slab& s) {
        const std::size_t blocks = skerry::detail::blocks_of(s.size_class);
        std::size_t free = 0;
        for (std::size_t i = 0; i < blocks; ++i) {
            free += s.free.has(i) ? 1 : 0;
        }
        check(free == s.free_count, "slabs with another number of free blocks than is said");
        check(blocks - free == begin_within(p.begin_of(s), slab_bytes), "blocks in use in which nothing lies");
        empty_slabs_[s.size_class] += free == blocks ? 1 : 0;
        if (s.free_count != 0) {
            with_free_[s.size_class].insert(&s);
        }
    }

    const std::vector<std::span<const std::byte>>& objects_;
    std::ostream& text_;
    std::size_t seen_ = 0;
    std::set<const page*> with_room_;
    std::array<std::set<const slab*>, skerry::detail::classes> with_free_;
    std::array<std::size_t, skerry::detail::classes> empty_slabs_{};
};

} // namespace

std::string audit_region(const char* name, skerry::region r, std::vector<std::span<const std::byte>> objects) {
    const region_id id{r.id()};
    region_state* const s = skerry::detail::region_table::instance().find(id);
    std::ostringstream text;
    std::erase_if(objects, [](const auto& o) { return o.empty(); });
    if (s == nullptr) {
        text << "it is not there\n";
    } else {
        const std::lock_guard guard(s->guard);
        region_audit(*s, objects, text);
    }
    for (const std::span<const std::byte> o : objects) {
        const auto around = skerry::detail::try_block_around(&o.back());
        if (around.first != o.data() || around.bytes < o.size()) {
            text << "something else lies where an object of " << o.size() << " bytes ends\n";
        }
        for (std::size_t at = 0; at < o.size(); at += page_bytes) {
            if (skerry::detail::region_of(&o[at]) != id) {
                text << "an object of " << o.size() << " bytes is not found as a part of it\n";
            }
        }
    }
    return text.str().empty() ? std::string() : std::string(name) + ": " + text.str();
}

std::string audit_refusal(skerry::region r, std::size_t which) {
    using skerry::detail::handing;
    std::vector<std::byte> parcel = skerry::detail::pack_region(region_id{r.id()}, true, handing::copy);
    parcel[which % parcel.size()] ^= std::byte{1};
    try {
        skerry::detail::unpack_region(parcel);
    } catch (const std::invalid_argument&) {
        return {};
    } catch (const std::exception& e) {
        return std::string("a damaged parcel is refused, but as: ") + e.what() + '\n';
    }
    return "a damaged parcel is taken for a whole one\n";
}

std::size_t pages_here() {
    std::size_t n = 0;
    for (std::size_t i = 0; i < first_pages; ++i) {
        n += in_use_or_at_hand(i) ? 1 : 0;
    }
    return n;
}

std::string audit_given_back(std::span<const page_range> pages) {
    arena& a = arena::instance();
    for (const page_range& range : pages) {
        for (std::size_t i = range.first; i < range.first + range.count; ++i) {
            if (a.page_at(i) != nullptr || !a.may_hand_out({.first = i, .count = 1})) {
                return "page " + std::to_string(i) + " of a region that is gone is not there again\n";
            }
        }
    }
    return {};
}

} // namespace random_programs
