// SPDX-License-Identifier: Apache-2.0

// The bookkeeping of regions between two processes that know nothing else of each other.

#include "coherence/parcel.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/region.hpp>

#include "../base/child.hpp"
#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"
#include "coherence/transfer.hpp"
#include "two_ends.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::root_region;
using skerry_test::channel;
using skerry_test::check;
using skerry_test::contents;
using skerry_test::counted;
using skerry_test::fill;
using skerry_test::run_two;
using skerry_test::says;
using skerry_test::text_of;

TEST(Parcel, smoke) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            contents* const c = fill(r);
            to.put(r);
            to.put(c);
            const auto extents = extents_of(region_id{r.id()}, true);
            const std::size_t pages = arena::instance().pages_in_use();
            to.put_region(r);
            // Another process writes it: what was known is still there, and nothing can be changed.
            check(*c, 100);
            CHECK(extents_of(region_id{r.id()}, true) == extents);
            for (const region each : {r, c->inner}) {
                region w = each;
                CHECK(says(text_of([&] { w.make<int>(1); }), "skerry: region::make: region 0x"));
                CHECK(says(text_of([&] { w.make<int>(1); }), " is being written by another process"));
                CHECK(says(text_of([&] { w.make<counted>(1); }), "region::make: "));
                CHECK(says(text_of([&] { w.destroy_all(); }), "region::destroy_all: "));
                CHECK(says(text_of([&] { static_cast<void>(w.create()); }), "region::create: "));
                CHECK(says(text_of([&] { static_cast<void>(w.allocator<int>().allocate(1)); }), "region::allocator: "));
                CHECK(says(text_of([&] { w.destroy(c->list); }), "region::destroy: "));
                CHECK(says(text_of([&] { static_cast<void>(pack_region(region_id{w.id()}, true)); }),
                           " cannot cross to another process: another process writes it"));
            }
            CHECK(says(text_of([&] { root_region().destroy_all(); }), "is being written by another process"));
            const auto freed = skerry_test::run_in_child([&] {
                c->numbers.erase(1);
                return 0;
            });
            CHECK(!freed.exited && says(freed.output, "skerry: region_allocator::deallocate("));
            CHECK(says(freed.output, "): region 0x") && says(freed.output, " is being written by another process"));
            CHECK(counted::ended.empty());
            to.get_region(r);
            check(*c, 120);
            CHECK(arena::instance().pages_in_use() == pages);
            auto* const n = to.get<counted*>();
            CHECK(region_of(n) == region_id::none); // its region was made and destroyed over there
            r.make<counted>(1000);
            r.destroy_all();
            CHECK(counted::ended.size() == 121 && counted::ended.front() == 119); // the regions within first
            CHECK(arena::instance().pages_in_use() == 0);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto* const c = to.get<contents*>();
            CHECK(!r.exists());
            CHECK(says(text_of([&] { r.make<int>(1); }), " was destroyed, or no task has brought it to this process"));
            CHECK(says(text_of([&] { root_region().make<int>(1); }), "is being written by another process"));
            to.get_region(r);
            check(*c, 100);
            CHECK(lies_within(region_id{r.id()}, region_id::root));
            CHECK(lies_within(region_id{c->inner.id()}, region_id{r.id()}));
            region mine = r.create();
            auto* const gone = mine.make<counted>(7);
            CHECK(gone != nullptr && process_of(region_id{mine.id()}) == 1);
            mine.destroy_all();
            CHECK(counted::ended == std::vector{7});
            for (int i = 100; i < 120; ++i) {
                auto* const n = (i % 2 == 0 ? r : c->inner).make<counted>(i);
                n->next = c->list;
                c->list = n;
                c->numbers[i] = i * i;
            }
            to.put_region(r);
            CHECK(says(text_of([&] { c->inner.make<int>(1); }), "is being written by another process"));
            to.put(gone);
            CHECK(counted::ended.size() == 1);
        });
}

TEST(Parcel, DestructorsRunWhereTheRegionIs) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            contents* const c = fill(r);
            const region inner = c->inner;
            to.put(r);
            to.put_region(r);
            unpack_region(to.get_bytes()); // that it is gone
            CHECK(!r.exists() && !inner.exists() && counted::ended.empty());
            CHECK(arena::instance().pages_in_use() == 0);
            region next = root_region().create(); // the slot is used again, under another name
            CHECK(slot_of(region_id{next.id()}) == slot_of(region_id{inner.id()}) ||
                  slot_of(region_id{next.id()}) == slot_of(region_id{r.id()}));
            next.make<counted>(1);
            to.put(next);
            to.put_region(next);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            to.get_region(r);
            r.destroy_all();
            CHECK(counted::ended.size() == 100);
            // In the order that was: the regions within first, the newest object first.
            CHECK(counted::ended[0] == 99 && counted::ended[1] == 97 && counted::ended[50] == 98);
            to.put_bytes(pack_region(region_id{r.id()}, true));
            // The pages are this process's now: it hands them out first, before those of its own share.
            auto next = to.get<region>();
            to.get_region(next);
            region own = next.create();
            const auto number = [](const void* p) {
                return (reinterpret_cast<std::uintptr_t>(p) - arena::instance().place().address) / page_bytes;
            };
            CHECK(number(own.make_array<std::byte>(100).data()) < arena::instance().pages() / 2);
            CHECK(number(own.make_array<std::byte>(100 * page_bytes).data()) >= arena::instance().pages() / 2);
        });
}

TEST(Parcel, ReadersGetACopy) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            contents* const c = fill(r);
            to.put(r);
            to.put(c);
            to.put_region(r, handing::copy);
            r.destroy(r.make<counted>(5)); // this process goes on
            CHECK(to.get<int>() == 1);
            to.put_region(r, handing::copy);
            r.destroy_all();
            CHECK(counted::ended.size() == 101);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto* const c = to.get<contents*>();
            to.get_region(r);
            check(*c, 100);
            CHECK(says(text_of([&] { r.make<int>(1); }), "is being written by another process"));
            CHECK(says(text_of([&] { static_cast<void>(pack_region(region_id{r.id()}, true)); }),
                       "another process writes it"));
            to.put(1);
            to.get_region(r); // again
            check(*c, 100);
        });
}

TEST(Parcel, NamesOfChildrenCrossWithOneRegion) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            region child = r.create();
            auto* const n = child.make<counted>(1);
            to.put(r);
            to.put(child);
            to.put_bytes(pack_region(region_id{r.id()}, false));
            child.make<counted>(2); // still here
            unpack_region(to.get_bytes());
            const auto born = to.get<region>();
            CHECK(born.exists() && lies_within(region_id{born.id()}, region_id{r.id()}));
            CHECK(child.exists() && n->value == 1);
            CHECK(says(text_of([&] { r.destroy_all(); }), "is being written by another process"));
            CHECK(counted::ended.empty());
            unpack_region(to.get_bytes());
            r.destroy_all();
            CHECK(counted::ended.size() == 2);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto child = to.get<region>();
            unpack_region(to.get_bytes());
            CHECK(child.exists() && lies_within(region_id{child.id()}, region_id{r.id()}));
            CHECK(says(text_of([&] { child.make<int>(1); }), "is being written by another process"));
            CHECK(says(text_of([&] { r.destroy_all(); }), "is being written by another process"));
            const region born = r.create();
            to.put_bytes(pack_region(region_id{r.id()}, false));
            to.put(born);
            to.put_bytes(pack_region(region_id{born.id()}, false));
        });
}

TEST(Parcel, WhatIsGoneThereIsGoneHere) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            const region gone = r.create();
            const region stays = r.create();
            to.put(r);
            to.put(gone);
            to.put_region(r, handing::over);
            to.get_region(r);
            CHECK(!gone.exists() && stays.exists());
            r.destroy_all();
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto gone = to.get<region>();
            to.get_region(r);
            gone.destroy_all();
            to.put_region(r, handing::over);
        });
}

// Rooms and free blocks are the giver's.
TEST(Parcel, TheReceiverGoesOnWhereTheGiverWas) {
    run_two(
        [](const channel& to) {
            region r = root_region().create();
            region full = root_region().create();
            std::byte* first = nullptr;
            for (std::size_t i = 0; i < page_slabs; ++i) {
                std::byte* const slab = full.make_array<std::byte>(slab_bytes).data();
                first = i == 0 ? slab : first;
            }
            auto* const block = r.make<std::uint64_t>(1U);
            auto* const free = r.make<std::uint64_t>(2U);
            r.destroy(free);
            to.put(r);
            to.put(full);
            to.put(first);
            to.put(block);
            to.put_region(r, handing::over);
            to.put_region(full, handing::over);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto full = to.get<region>();
            const auto* const first = to.get<std::byte*>();
            const auto* const block = to.get<std::uint64_t*>();
            to.get_region(r);
            const auto* const made = r.make<std::uint64_t>(3U);
            CHECK(made == block + 2); // the smallest block has room for two
            to.get_region(full);
            const auto* const outside = full.make<std::byte>();
            CHECK(outside < first || outside >= first + page_bytes);
        });
}

// For who reads or writes an object, and not its region.
TEST(Parcel, AnObjectOfARegionThatNeverCameHasMemory) {
    run_two([](const channel&) {},
            [](const channel&) {
                auto* const first = reinterpret_cast<std::byte*>(arena::instance().place().address) + page_bytes - 50;
                const skerry::fabric::extent object{.here = first, .there = 0, .bytes = 100};
                open_for(std::span(&object, 1));
                std::memset(first, 1, 100);
                CHECK(region_of(first) == region_id::none);
            });
}

} // namespace
