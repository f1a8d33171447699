// SPDX-License-Identifier: Apache-2.0

// Random programs over regions against a plain map of what must be there.

#include <skerry/region.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/port/memory.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"
#include "coherence/size_class.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::root_region;

TEST(SizeClass, FitsEverySizeAndAlignment) {
    for (std::size_t bytes = 0; bytes <= largest_block + 1; ++bytes) {
        for (std::size_t alignment = 1; alignment <= page_bytes; alignment *= 2) {
            const std::size_t c = class_of(bytes, alignment);
            if (c == classes) {
                ASSERT_TRUE(bytes > largest_block || alignment > largest_block || bytes + alignment > largest_block);
                continue;
            }
            ASSERT_GE(block_sizes[c], bytes);
            ASSERT_EQ(block_sizes[c] % alignment, 0U);
            ASSERT_TRUE(c == 0 || block_sizes[c - 1] < bytes || block_sizes[c - 1] % alignment != 0)
                << "a smaller one does for " << bytes;
            // From a line on, at most half as much again as the lines need; an alignment may cost more.
            const std::size_t least = skerry::port::round_up(bytes, cache_line);
            ASSERT_TRUE(bytes < cache_line || alignment > cache_line || 2 * block_sizes[c] <= 3 * least)
                << bytes << " by " << alignment;
        }
    }
}

// What the map holds of one object.
struct expected {
    std::size_t bytes;
    std::size_t in; // index of the region
    std::uint8_t content;
    bool counted; // has a destructor
};

// Counts destructor calls by content.
struct counted {
    explicit counted(std::uint8_t c) : content(c) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ended.insert(content); }
    std::uint8_t content;
    std::byte rest[70];
    inline static std::multiset<std::uint8_t> ended;
};

struct world {
    std::vector<region> regions;
    std::vector<std::size_t> parents;
    std::vector<bool> lives;
    std::map<std::uintptr_t, expected> objects;

    world() : regions{root_region().create()}, parents{0}, lives{true} {}
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world() {
        if (regions[0].exists()) {
            regions[0].destroy_all();
        }
    }

    [[nodiscard]] bool within(std::size_t inner, std::size_t outer) const {
        while (inner != outer && inner != 0) {
            inner = parents[inner];
        }
        return inner == outer;
    }

    void add(std::byte* first, const expected& e) {
        const auto at = reinterpret_cast<std::uintptr_t>(first);
        const auto after = objects.lower_bound(at);
        RC_ASSERT((after == objects.end() || at + e.bytes <= after->first));
        RC_ASSERT((after == objects.begin() || std::prev(after)->first + std::prev(after)->second.bytes <= at));
        objects.emplace(at, e);
    }

    void check_content(std::uintptr_t at, const expected& e) const {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(at);
        const std::size_t n = e.counted ? 1 : e.bytes;
        RC_ASSERT(std::all_of(bytes, bytes + n, [&](std::uint8_t b) { return b == e.content; }));
        RC_ASSERT(region_of(bytes + e.bytes - 1) == region_id{regions[e.in].id()});
        const extent around = try_block_around(bytes + e.bytes / 2);
        RC_ASSERT((reinterpret_cast<std::uintptr_t>(around.first) == at && around.bytes >= e.bytes));
    }

    // The extents of a region are the slabs that its live objects touch, nothing more and nothing less.
    void check_extents(std::size_t r, bool recursive) const {
        std::set<std::uintptr_t> slabs;
        for (const auto& [at, e] : objects) {
            if (e.in == r || (recursive && within(e.in, r))) {
                for (std::uintptr_t s = at / slab_bytes; s <= (at + e.bytes - 1) / slab_bytes; ++s) {
                    slabs.insert(s);
                }
            }
        }
        std::set<std::uintptr_t> found;
        std::uintptr_t last = 0;
        for_each_extent(region_id{regions[r].id()}, recursive, [&](std::byte* first, std::size_t bytes) {
            const auto at = reinterpret_cast<std::uintptr_t>(first);
            RC_ASSERT((at > last && at % slab_bytes == 0 && bytes % slab_bytes == 0 && bytes > 0));
            last = at + bytes; // joined with the next one, if they touched
            for (std::size_t s = 0; s < bytes; s += slab_bytes) {
                found.insert((at + s) / slab_bytes);
            }
        });
        RC_ASSERT(found == slabs);
    }
};

enum class act : std::uint8_t { make, make_counted, destroy, create, destroy_all, misuse };
struct step {
    act what;
    unsigned where;
    unsigned number;
};

// For the program that a failure prints. NOLINTNEXTLINE(readability-identifier-naming): RapidCheck's name
void showValue(const step& s, std::ostream& out) {
    out << "{" << static_cast<int>(s.what) << ", " << s.where << ", " << s.number << "}";
}

std::size_t random_size(unsigned n) {
    switch (n % 16) {
    case 0: return 1 + n / 16 % 200'000;
    case 1: return 2 * page_bytes - 8 + n / 16 % 16;
    case 2:
    case 3: return 1 + n / 16 % 6000;
    default: return 1 + n / 16 % 300;
    }
}

void run(const std::vector<step>& program) {
    world w;
    std::uint8_t content = 0;
    for (const step& s : program) {
        const std::size_t r = s.where % w.regions.size();
        if (!w.lives[r]) {
            RC_ASSERT(!w.regions[r].exists());
            RC_ASSERT_THROWS_AS(w.regions[r].make<int>(1), std::logic_error);
            continue;
        }
        ++content;
        switch (s.what) {
        case act::make: {
            const std::size_t bytes = random_size(s.number);
            const auto made = w.regions[r].make_array<std::byte>(bytes);
            std::memset(made.data(), content, bytes);
            w.add(made.data(), {.bytes = bytes, .in = r, .content = content, .counted = false});
            break;
        }
        case act::make_counted: {
            auto* const made = w.regions[r].make<counted>(content);
            w.add(reinterpret_cast<std::byte*>(made),
                  {.bytes = sizeof(counted), .in = r, .content = content, .counted = true});
            break;
        }
        case act::destroy: {
            if (w.objects.empty()) {
                break;
            }
            auto at = w.objects.lower_bound(0);
            std::advance(at, s.number % w.objects.size());
            w.check_content(at->first, at->second);
            counted::ended.clear();
            if (at->second.counted) {
                w.regions[at->second.in].destroy(reinterpret_cast<counted*>(at->first));
                RC_ASSERT(counted::ended == std::multiset<std::uint8_t>{at->second.content});
            } else {
                w.regions[at->second.in].destroy(reinterpret_cast<std::byte*>(at->first));
            }
            w.objects.erase(at);
            break;
        }
        case act::create:
            if (w.regions.size() < 12) {
                w.regions.push_back(w.regions[r].create());
                w.parents.push_back(r);
                w.lives.push_back(true);
            }
            break;
        case act::destroy_all: {
            if (r == 0 && s.number % 4 != 0) {
                break;
            }
            std::multiset<std::uint8_t> must_end;
            for (auto at = w.objects.begin(); at != w.objects.end();) {
                if (w.within(at->second.in, r)) {
                    if (at->second.counted) {
                        must_end.insert(at->second.content);
                    }
                    at = w.objects.erase(at);
                } else {
                    ++at;
                }
            }
            counted::ended.clear();
            w.regions[r].destroy_all();
            RC_ASSERT(counted::ended == must_end);
            for (std::size_t i = 0; i < w.regions.size(); ++i) {
                w.lives[i] = w.lives[i] && !w.within(i, r);
            }
            break;
        }
        case act::misuse:
            if (!w.objects.empty()) {
                const auto& [at, e] = *w.objects.begin();
                auto* const wrong = reinterpret_cast<std::byte*>(at) + 1;
                RC_ASSERT_THROWS_AS(w.regions[r].destroy(wrong), std::invalid_argument);
                if (e.in != r) {
                    RC_ASSERT_THROWS_AS(w.regions[r].destroy(wrong - 1), std::invalid_argument);
                }
            }
            break;
        }
    }
    for (const auto& [at, e] : w.objects) {
        w.check_content(at, e);
    }
    for (std::size_t r = 0; r < w.regions.size(); ++r) {
        if (w.lives[r]) {
            w.check_extents(r, false);
            w.check_extents(r, true);
            for (std::size_t o = 0; o < w.regions.size(); ++o) {
                RC_ASSERT((lies_within(region_id{w.regions[r].id()}, region_id{w.regions[o].id()}) ==
                           (w.lives[o] && w.within(r, o))));
            }
        }
    }
}

RC_GTEST_PROP(Region, DoesWhatAMapDoes, ()) {
    const auto one = rc::gen::map(
        rc::gen::tuple(rc::gen::weightedElement<act>({{40, act::make},
                                                      {15, act::make_counted},
                                                      {30, act::destroy},
                                                      {6, act::create},
                                                      {3, act::destroy_all},
                                                      {6, act::misuse}}),
                       rc::gen::resize(100, rc::gen::arbitrary<unsigned>()), rc::gen::arbitrary<unsigned>()),
        [](const auto& t) { return step{.what = std::get<0>(t), .where = std::get<1>(t), .number = std::get<2>(t)}; });
    const auto length = *rc::gen::inRange<std::size_t>(0, 400);
    run(*rc::gen::container<std::vector<step>>(length, one));
}

} // namespace
