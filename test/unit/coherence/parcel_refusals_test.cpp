// SPDX-License-Identifier: Apache-2.0

// Parcels that are refused, and change nothing then.

#include "coherence/parcel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <skerry/region.hpp>

#include "../base/reserve_arena.hpp"
#include "base/port/reserve.hpp"
#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/parcel_format.hpp"
#include "coherence/region_tree.hpp"
#include "coherence/transfer.hpp"
#include "two_ends.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::root_region;
using skerry_test::channel;
using skerry_test::fill;
using skerry_test::run_two;
using skerry_test::says;
using skerry_test::text_of;

// Refused, and everything stays as it was.
TEST(Parcel, WhatCannotCross) {
    run_two(
        [](const channel&) {
            region r = root_region().create();
            region first = r.create();
            struct packs {
                explicit packs(region where) : home(where) { attempt(); }
                packs(const packs&) = delete;
                packs& operator=(const packs&) = delete;
                ~packs() { attempt(); }
                void attempt() const {
                    texts.push_back(text_of([&] { static_cast<void>(pack_region(region_id{home.id()}, true)); }));
                }
                region home;
                std::vector<std::string>& texts = *new std::vector<std::string>;
            };
            auto* const p = r.make<packs>(r);
            auto& texts = p->texts;
            r.destroy(p);
            CHECK(texts.size() == 2);
            for (const std::string& t : texts) {
                CHECK(says(t, "skerry: region 0x"));
                CHECK(says(t, " cannot cross to another process: an object is being made or destroyed there"));
            }
            CHECK(says(text_of([] { static_cast<void>(pack_region(region_id::none, true)); }), ": it is not here"));
            CHECK(says(text_of([] { static_cast<void>(pack_region(region_id{1 << 24 | 99}, true, handing::copy)); }),
                       ": it is not here"));
            first.make<int>(1);
            // A destructor of a library that the other process need not have at that place.
            void* const code = ::dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
            void* const object = take_object(region_id{r.id()}, 64, 8, "make");
            keep_object(region_id{r.id()}, object, 1, reinterpret_cast<destroyer>(code));
            const std::string text = text_of([&] { static_cast<void>(pack_region(region_id{r.id()}, true)); });
            CHECK(says(text, " cannot cross to another process: the destructor of the object at 0x"));
            CHECK(says(text, " lies at ") && says(text, "gnu_get_libc_version") &&
                  says(text, ", outside of the main program"));
            first.make<int>(2); // neither is away
            r.make<int>(3);
            region last = root_region().create();
            struct ends {
                explicit ends(region w) : home(w) {}
                ends(const ends&) = delete;
                ends& operator=(const ends&) = delete;
                ~ends() {
                    CHECK_NOTHROW(says(text_of([&] { static_cast<void>(pack_region(region_id{home.id()}, true)); }),
                                       " cannot cross to another process: it is being destroyed"));
                }
                static void CHECK_NOTHROW(bool good) {
                    if (!good) {
                        std::_Exit(9);
                    }
                }
                region home;
            };
            last.make<ends>(last);
            last.destroy_all();
            CHECK(
                says(text_of([] { arena::adopt({}, 1, 2); }), "skerry: an arena of 0 bytes has no part for process 1"));
            CHECK(!skerry::port::addresses_may_be_tried ||
                  says(text_of([] { arena::adopt(skerry_test::reserve_arena(), 1, 2); }),
                       "skerry: this process joins others too late: it has made regions already"));
            const skerry::fabric::extent outside{.here = &r, .there = 0, .bytes = 8};
            const std::string no_region = text_of([&] { open_for(std::span(&outside, 1)); });
            CHECK(no_region.starts_with("skerry: the object at 0x"));
            CHECK(says(no_region, " crosses to another process, but lies in no region"));
        },
        [](const channel&) {});
}

TEST(Parcel, WhatThisProcessWritesIsNotReplaced) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            r.make<int>(1);
            const std::vector<std::byte> parcel = pack_region(region_id{r.id()}, true, handing::copy);
            CHECK(says(text_of([&] { unpack_region(parcel); }), " comes from another process, but this one writes it"));
            to.put(r);
            to.put_region(r);
            to.get_region(r);
            // A page that this process may hand out, and one that another of its regions has.
            region other = root_region().create();
            std::byte* const large = other.make_array<std::byte>(100 * page_bytes).data();
            to.put(std::size_t{(reinterpret_cast<std::uintptr_t>(large) - arena::instance().place().address) /
                               page_bytes});
            const std::vector<std::byte> used = to.get_bytes();
            for (int round = 0; round < 2; ++round) {
                const std::string text = text_of([&] { unpack_region(used); });
                CHECK(text.starts_with("skerry: page ") && says(text, " comes with region 0x"));
                CHECK(says(text, " from another process, but this one uses it"));
                if (round == 0) {
                    other.destroy_all();
                }
            }
            CHECK(says(text_of([&] { unpack_region(to.get_bytes()); }), ", but this one writes it")); // gone
            r.make<int>(2);
        },
        [](const channel& to) {
            const auto r = to.get<region>();
            to.get_region(r);
            const auto& place = arena::instance().place();
            parcel p = from_bytes(pack_region(region_id{r.id()}, true), place.address, place.bytes);
            to.put_bytes(to_bytes(p));
            for (const extent& e : skerry_test::contents_of(region_id{r.id()})) {
                to.send(e.first, e.bytes);
            }
            const auto taken = to.get<std::size_t>();
            p.regions[0].id = make_region_id(1, 1, 5);
            p.top = p.regions[0].id;
            p.regions[0].pages[0].number = taken + 3;
            to.put_bytes(to_bytes(p));
            p.gone = true;
            p.top = region_id{r.id()};
            p.regions.clear();
            p.above.clear();
            to.put_bytes(to_bytes(p));
        });
}

// Uses all regions that are here, and lets none of them stay.
void leave_sound() {
    for (const region_id id : subtree(region_id::root)) {
        try {
            region(id).make_array<std::byte>(100);
            static_cast<void>(pack_region(id, false));
        } catch (const std::logic_error&) {
            continue; // it is away
        }
    }
}

// Whatever is damaged is refused and changes nothing. With a sum that is right again, what has the form of a parcel may
// be taken, and is sound then.
TEST(Parcel, DamagedOnesChangeNothing) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            fill(r);
            to.put(r);
            to.put_bytes(pack_region(region_id{r.id()}, true));
            CHECK(to.get<int>() == 1);
        },
        [](const channel& to) {
            static_cast<void>(to.get<region>());
            const std::vector<std::byte> good = to.get_bytes();
            CHECK(text_of([] { unpack_region({}); }).starts_with("skerry: no parcel of regions: "));
            int taken = 0;
            int refused = 0;
            const bool passed = rc::check([&] {
                auto bytes = good;
                const auto flips = *rc::gen::inRange(0, 4);
                for (int i = 0; i < flips; ++i) {
                    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
                    bytes[at] ^= std::byte{1} << *rc::gen::inRange(0, 8);
                }
                const bool cut = flips == 0 || *rc::gen::inRange(0, 4) == 0;
                if (cut) {
                    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
                }
                const bool mended = bytes.size() > sum_at + 8 && *rc::gen::inRange(0, 4) != 0;
                if (mended) {
                    const std::uint64_t sum = sum_of(std::span(bytes).subspan(sum_at + 8));
                    std::memcpy(bytes.data() + sum_at, &sum, 8);
                }
                RC_PRE(bytes != good);
                const auto regions = subtree(region_id::root);
                const auto extents = extents_of(region_id::root, true);
                const std::size_t pages = arena::instance().pages_in_use();
                bool accepted = true;
                try {
                    unpack_region(bytes);
                } catch (const std::logic_error&) {
                    accepted = false;
                } catch (const std::bad_alloc&) { // a page of the size of the arena
                    accepted = false;
                }
                if (accepted) {
                    RC_ASSERT(mended);
                    ++taken;
                    leave_sound();
                    return;
                }
                ++refused;
                RC_ASSERT(subtree(region_id::root) == regions);
                RC_ASSERT(extents_of(region_id::root, true) == extents);
                RC_ASSERT(arena::instance().pages_in_use() == pages);
            });
            CHECK(passed && refused > 20);
            to.put(1);
        });
}

} // namespace
