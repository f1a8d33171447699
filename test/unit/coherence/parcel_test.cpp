// SPDX-License-Identifier: Apache-2.0

// The bookkeeping of regions between two processes that know nothing else of each other. Each test is two forked
// children, since a process takes part in one arena only.

#include "coherence/parcel.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <skerry/region.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/child.hpp"
#include "base/port/reserve.hpp"
#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/parcel_format.hpp"
#include "coherence/region_tree.hpp"
#include "coherence/transfer.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::region_allocator;
using skerry::root_region;

// Ends the child with a line that says where.
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            throw std::runtime_error("line " + std::to_string(__LINE__) + ": " #condition);                            \
        }                                                                                                              \
    } while (false)

// One end of a stream between the two. If the other end dies, reading fails.
class channel {
  public:
    explicit channel(int descriptor) : descriptor_(descriptor) {}

    void send(const void* first, std::size_t bytes) const {
        for (const char* at = static_cast<const char*>(first); bytes > 0;) {
            const ssize_t n = ::write(descriptor_, at, bytes);
            CHECK(n > 0);
            at += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    void receive(void* first, std::size_t bytes) const {
        for (char* at = static_cast<char*>(first); bytes > 0;) {
            const ssize_t n = ::read(descriptor_, at, bytes);
            CHECK(n > 0);
            at += n;
            bytes -= static_cast<std::size_t>(n);
        }
    }
    template <class T>
    void put(T value) const {
        send(static_cast<const void*>(&value), sizeof(T)); // NOLINT(bugprone-sizeof-expression): T may be a pointer
    }
    template <class T>
    [[nodiscard]] T get() const {
        T value;
        receive(static_cast<void*>(&value), sizeof(T)); // NOLINT(bugprone-sizeof-expression): the same
        return value;
    }

    void put_bytes(const std::vector<std::byte>& bytes) const {
        put(bytes.size());
        send(bytes.data(), bytes.size());
    }
    [[nodiscard]] std::vector<std::byte> get_bytes() const {
        std::vector<std::byte> bytes(get<std::size_t>());
        receive(bytes.data(), bytes.size());
        return bytes;
    }

    // A region with its contents.
    void put_region(region r, handing how = handing::over) const {
        const auto id = region_id{r.id()};
        put_bytes(pack_region(id, true, how));
        for (const auto& e : transfer_list(std::span(&id, 1), {})) {
            send(e.here, e.bytes);
        }
    }
    void get_region(region r) const {
        const auto id = region_id{r.id()};
        unpack_region(get_bytes());
        for (const auto& e : transfer_list(std::span(&id, 1), {})) {
            receive(e.here, e.bytes);
        }
    }

  private:
    int descriptor_;
};

using part = std::function<void(const channel&)>;

int run_part(unsigned rank, int descriptor, const part& body) {
    try {
        arena::adopt(skerry::port::reserve_arena(), rank, 2);
        body(channel(descriptor));
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "process %u: %s\n", rank, e.what());
        return 1;
    }
}

void run_two(const part& zero, const part& one) {
    const auto result = skerry_test::run_in_child([&] {
        int ends[2];
        CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        const int pid = ::fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            ::close(ends[0]);
            std::_Exit(run_part(1, ends[1], one));
        }
        ::close(ends[1]);
        const int mine = run_part(0, ends[0], zero);
        ::close(ends[0]);
        const int theirs = skerry_test::wait_for(pid);
        return mine + 2 * theirs;
    });
    EXPECT_TRUE(result.exited) << result.output;
    EXPECT_EQ(result.code, 0) << result.output;
}

template <class F>
std::string text_of(F f) {
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return "nothing was thrown";
}

bool says(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

struct counted {
    explicit counted(int v) : value(v) {}
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { ended.push_back(value); }
    int value;
    counted* next = nullptr;
    inline static std::vector<int> ended;
};

using map = std::map<int, int, std::less<>, region_allocator<std::pair<const int, int>>>;

// What lies in a region, reached from one object.
struct contents {
    explicit contents(region r) : home(r), inner(r.create(2)), numbers(r.allocator<std::pair<const int, int>>()) {}
    region home;
    region inner;
    counted* list = nullptr;
    std::byte* run = nullptr;
    std::byte* large = nullptr;
    map numbers;
};
constexpr std::size_t run_bytes = 20'000;
constexpr std::size_t large_bytes = 2'500'000;

contents* fill(region r) {
    auto* const c = r.make<contents>(r);
    for (int i = 0; i < 100; ++i) {
        auto* const n = (i % 2 == 0 ? r : c->inner).make<counted>(i);
        n->next = c->list;
        c->list = n;
        c->numbers[i] = i * i;
    }
    c->run = r.make_array<std::byte>(run_bytes).data();
    c->large = c->inner.make_array<std::byte>(large_bytes).data();
    std::memset(c->run, 3, run_bytes);
    std::memset(c->large, 4, large_bytes);
    return c;
}

void check(const contents& c, int nodes) {
    int expected = nodes;
    for (const counted* n = c.list; n != nullptr; n = n->next) {
        CHECK(n->value == --expected);
        CHECK(region_of(n) == region_id{(expected % 2 == 0 ? c.home : c.inner).id()});
        CHECK(block_around(n).first == reinterpret_cast<const std::byte*>(n));
    }
    CHECK(expected == 0);
    CHECK(static_cast<int>(c.numbers.size()) == nodes);
    for (const auto& [key, value] : c.numbers) {
        CHECK(value == key * key);
    }
    CHECK(std::count(c.run, c.run + run_bytes, std::byte{3}) == run_bytes);
    CHECK(std::count(c.large, c.large + large_bytes, std::byte{4}) == large_bytes);
}

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

// Rooms, free blocks and versions are the giver's.
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
            to.put(changes_of(region_id{r.id()}));
            to.put_region(r, handing::over);
            to.put_region(full, handing::over);
        },
        [](const channel& to) {
            auto r = to.get<region>();
            auto full = to.get<region>();
            const auto* const first = to.get<std::byte*>();
            const auto* const block = to.get<std::uint64_t*>();
            const auto version = to.get<std::uint64_t>();
            to.get_region(r);
            CHECK(changes_of(region_id{r.id()}) == version);
            const auto* const made = r.make<std::uint64_t>(3U);
            CHECK(made == block + 2); // the smallest block has room for two
            to.get_region(full);
            const auto* const outside = full.make<std::byte>();
            CHECK(outside < first || outside >= first + page_bytes);
        });
}

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
                  says(text_of([] { arena::adopt(skerry::port::reserve_arena(), 1, 2); }),
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
            const auto numbers = transfer_list(std::vector{region_id{r.id()}}, {});
            for (const auto& e : numbers) {
                to.send(e.here, e.bytes);
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

TEST(TransferList, EachByteOnce) {
    run_two(
        [](const channel&) {
            region r = root_region().create();
            std::byte* const run = r.make_array<std::byte>(4 * slab_bytes).data();
            const std::vector<extent> objects{{.first = run + 8192, .bytes = 100},
                                              {.first = run + 10, .bytes = 20},
                                              {.first = run + 30, .bytes = 5},
                                              {.first = run + 20, .bytes = 3},
                                              {.first = run + 40, .bytes = 0}};
            const auto list = transfer_list({}, objects);
            CHECK(list.size() == 2);
            CHECK(list[0].here == run + 10 && list[0].bytes == 25);
            CHECK(list[0].there == reinterpret_cast<std::uintptr_t>(run + 10));
            CHECK(list[1].here == run + 8192 && list[1].bytes == 100);
            const auto id = region_id{r.id()};
            const auto all = transfer_list(std::span(&id, 1), objects);
            CHECK(all.size() == 1 && all[0].here == run && all[0].bytes == 4 * slab_bytes);
            CHECK(transfer_list({}, {}).empty());
        },
        [](const channel& to) {
            // Memory for an object of a region that never came here.
            auto* const first = reinterpret_cast<std::byte*>(arena::instance().place().address) + page_bytes - 50;
            const skerry::fabric::extent object{.here = first, .there = 0, .bytes = 100};
            open_for(std::span(&object, 1));
            std::memset(first, 1, 100);
            CHECK(region_of(first) == region_id::none);
            static_cast<void>(to);
        });
}

} // namespace
