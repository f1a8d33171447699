// SPDX-License-Identifier: Apache-2.0

// Regions as a user sees them: objects, destructors, the tree, threads, errors.

#include <skerry/region.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/runtime.hpp>
#include <skerry/serial.hpp>

#include "coherence/arena.hpp"
#include "coherence/extents.hpp"
#include "coherence/region_tree.hpp"

namespace {

using skerry::region;
using skerry::root_region;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

namespace detail = skerry::detail;

// A region of the process for one test.
class Region : public testing::Test { // NOLINT(cppcoreguidelines-virtual-class-destructor): gtest derives
  public:
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

  protected:
    Region() = default;
    ~Region() override {
        if (r.exists()) {
            r.destroy_all();
        }
    }

    region r = root_region().create();
};

using Destructors = Region;
using Errors = Region;
using Threads = Region;

// Notes its end.
struct noted {
    noted(std::vector<int>& l, int n) : log(l), number(n) {}
    noted(const noted&) = delete;
    noted& operator=(const noted&) = delete;
    ~noted() { log.push_back(number); }
    std::vector<int>& log;
    int number;
};

struct node {
    int value;
    node* next;
};

TEST_F(Region, smoke) {
    for (int round = 0; round < 1000; ++round) {
        const region inner = r.create();
        EXPECT_TRUE(inner.exists());
        region here = inner;
        node* list = nullptr;
        for (int i = 0; i < 100; ++i) {
            list = here.make<node>(i, list);
        }
        int sum = 0;
        for (const node* n = list; n != nullptr; n = n->next) {
            sum += n->value;
        }
        ASSERT_EQ(sum, 4950);
        const std::span<double> numbers = here.make_array<double>(10'000);
        ASSERT_EQ(numbers.size(), 10'000U);
        for (const double x : numbers) {
            ASSERT_EQ(x, 0.0);
        }
        numbers[9'999] = 1;
        here.destroy(list);
        here.destroy(numbers.data());
        here.destroy_all();
        EXPECT_FALSE(inner.exists());
    }
}

TEST_F(Region, MemoryOfDestroyedObjectsIsUsedAgain) {
    node* const first = r.make<node>(1, nullptr);
    r.destroy(first);
    EXPECT_EQ(r.make<node>(2, nullptr), first);
    r.destroy(static_cast<node*>(nullptr));

    auto* const large = r.make_array<std::byte>(100'000).data();
    r.destroy(large);
    EXPECT_EQ(r.make_array<std::byte>(100'000).data(), large);
    auto* const huge = r.make_array<std::byte>(5'000'000).data();
    const std::size_t pages = detail::arena::instance().pages_in_use();
    r.destroy(huge);
    EXPECT_EQ(detail::arena::instance().pages_in_use(), pages - 5);
}

TEST_F(Region, DestroyAllGivesPagesBack) {
    detail::arena& a = detail::arena::instance();
    const std::size_t before = a.pages_in_use();
    for (int i = 0; i < 100; ++i) {
        r.create().make_array<std::byte>(3'000'000);
        r.make_array<std::byte>(600'000);
    }
    EXPECT_GE(a.pages_in_use(), before + 400);
    r.destroy_all();
    EXPECT_EQ(a.pages_in_use(), before);
}

TEST_F(Region, EmptyPagesGoBackBeforeTheRegion) {
    detail::arena& a = detail::arena::instance();
    const std::size_t before = a.pages_in_use();
    std::vector<std::span<std::byte>> parts;
    for (int i = 0; i < 4000; ++i) {
        parts.push_back(r.make_array<std::byte>(2048));
    }
    EXPECT_GE(a.pages_in_use(), before + 8);
    for (const std::span<std::byte> p : parts) {
        r.destroy(p.data());
    }
    EXPECT_LE(a.pages_in_use(), before + 1);
}

template <std::size_t Alignment>
struct alignas(Alignment) aligned {
    char c = 0;
};

template <std::size_t... Alignments>
void expect_alignments(region r, std::index_sequence<Alignments...>) {
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(r.make<char>());
        (
            [&] {
                using object = aligned<std::size_t{1} << Alignments>;
                auto* const made = r.make<object>();
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made) % alignof(object), 0U) << alignof(object);
                const auto row = r.make_array<object>(3);
                EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row.data()) % alignof(object), 0U) << alignof(object);
            }(),
            ...);
    }
}

TEST_F(Region, AlignmentIsKept) { expect_alignments(r, std::make_index_sequence<21>()); }

TEST_F(Region, ObjectsOfALineOrMoreShareNone) {
    for (const std::size_t bytes : {64U, 65U, 100U, 300U, 700U, 1400U, 3000U, 5000U}) {
        for (int i = 0; i < 10; ++i) {
            const std::span<std::byte> s = r.make_array<std::byte>(bytes);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(s.data()) % 64, 0U) << bytes;
        }
    }
}

TEST_F(Region, NoObjectsForALengthOfZero) {
    EXPECT_TRUE(r.make_array<int>(0).empty());
    EXPECT_THAT(detail::extents_of(detail::region_id{r.id()}, true), IsEmpty());
}

struct point {
    int x, y;
};

TEST_F(Region, AggregatesAndConversions) {
    EXPECT_EQ(r.make<point>(1, 2)->y, 2);
    EXPECT_EQ(r.make<point>()->x, 0);
    EXPECT_EQ(*r.make<std::string>(3U, 'x'), "xxx");
    static_assert(std::is_trivially_copyable_v<region>);
}

TEST_F(Region, IdsAreNeverUsedAgain) {
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 1000; ++i) {
        region inner = r.create(i);
        ids.push_back(inner.id());
        inner.destroy_all();
        EXPECT_FALSE(inner.exists());
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
    EXPECT_EQ(root_region().id(), 0U);
    EXPECT_NE(region().id(), 0U);
    EXPECT_FALSE(region().exists());
}

TEST_F(Region, TheRootStays) {
    root_region().make<int>(3);
    root_region().destroy_all();
    EXPECT_TRUE(root_region().exists());
    EXPECT_FALSE(r.exists());
    EXPECT_EQ(*root_region().make<int>(4), 4);
    root_region().destroy_all();
}

TEST_F(Region, ManyRegions) {
    std::vector<region> all{r};
    for (std::size_t i = 0; i < 3000; ++i) {
        all.push_back(all[i / 3].create(static_cast<int>(i)));
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
        *all[i].make<std::size_t>() = i;
        EXPECT_TRUE(detail::lies_within(detail::region_id{all[i].id()}, detail::region_id{r.id()}));
        EXPECT_FALSE(detail::lies_within(detail::region_id{r.id()}, detail::region_id{all[i].id()}));
    }
    EXPECT_EQ(detail::subtree(detail::region_id{r.id()}).size(), 3001U);
    all[1].destroy_all();
    EXPECT_TRUE(all[2].exists());
    for (std::size_t i = 1; i < all.size(); ++i) {
        std::size_t top = i;
        while (top > 3) {
            top = (top - 1) / 3;
        }
        EXPECT_EQ(all[i].exists(), top != 1) << i;
    }
}

TEST_F(Region, ADeepTreeNeedsNoStack) {
    region at = r;
    for (int i = 0; i < 50'000; ++i) {
        at = at.create();
    }
    r.destroy_all();
    EXPECT_FALSE(at.exists());
}

TEST_F(Destructors, NewestFirst) {
    std::vector<int> log;
    r.make<noted>(log, 1);
    r.make<noted>(log, 2);
    noted* const third = r.make<noted>(log, 3);
    r.make<noted>(log, 4);
    r.destroy(third);
    r.make<noted>(log, 5);
    EXPECT_THAT(log, ElementsAre(3));
    r.destroy_all();
    EXPECT_THAT(log, ElementsAre(3, 5, 4, 2, 1));
}

TEST_F(Destructors, RegionsWithinFirst) {
    std::vector<int> log;
    region older = r.create();
    region younger = r.create();
    region deep = older.create();
    deep.make<noted>(log, 30);
    r.make<noted>(log, 1);
    older.make<noted>(log, 10);
    older.make<noted>(log, 11);
    younger.make<noted>(log, 20);
    r.destroy_all();
    EXPECT_THAT(log, ElementsAre(20, 30, 11, 10, 1));
}

// Makes one of its kind in the same region while it is made.
struct pair_of_noted : noted {
    pair_of_noted(region in, std::vector<int>& l) : noted(l, 2) { in.make<noted>(l, 1); }
};

TEST_F(Destructors, WhatAConstructorMadeIsOlder) {
    std::vector<int> log;
    r.make<pair_of_noted>(r, log);
    r.destroy_all();
    EXPECT_THAT(log, ElementsAre(2, 1));
}

struct owner : noted {
    owner(region in, std::vector<int>& l) : noted(l, 2), home(in), part(in.make<noted>(l, 1)) {}
    owner(const owner&) = delete;
    owner& operator=(const owner&) = delete;
    ~owner() { home.destroy(part); }
    region home;
    noted* part;
};

TEST_F(Destructors, MayDestroyOthers) {
    std::vector<int> log;
    r.make<owner>(r, log);
    r.destroy(r.make<owner>(r, log));
    EXPECT_THAT(log, ElementsAre(1, 2));
    r.destroy_all();
    EXPECT_THAT(log, ElementsAre(1, 2, 1, 2));
}

// The n-th one throws.
struct third_throws : noted {
    explicit third_throws() : noted(ends, ++made) {
        if (number == 3) {
            throw std::runtime_error("third");
        }
    }
    inline static int made = 0;
    inline static std::vector<int> ends;
};

TEST_F(Destructors, AThrowingConstructorLeavesNothing) {
    third_throws::made = 2;
    third_throws::ends.clear();
    EXPECT_THROW(r.make<third_throws>(), std::runtime_error);
    EXPECT_THAT(detail::extents_of(detail::region_id{r.id()}, true), IsEmpty());
    third_throws::made = 0;
    third_throws::ends.clear();
    EXPECT_THROW(r.make_array<third_throws>(5), std::runtime_error);
    EXPECT_THAT(third_throws::ends, ElementsAre(3, 2, 1)); // the base of the third, then the first two
    EXPECT_THAT(detail::extents_of(detail::region_id{r.id()}, true), IsEmpty());
    r.destroy_all();
    EXPECT_EQ(third_throws::ends.size(), 3U);
}

TEST_F(Destructors, ArraysEndFromTheLast) {
    third_throws::made = 10;
    third_throws::ends.clear();
    const std::span<third_throws> three = r.make_array<third_throws>(3);
    r.make_array<third_throws>(2);
    r.destroy(three.data());
    EXPECT_THAT(third_throws::ends, ElementsAre(13, 12, 11));
    r.destroy_all();
    EXPECT_THAT(third_throws::ends, ElementsAre(13, 12, 11, 15, 14));
}

TEST_F(Destructors, OfLargeObjects) {
    struct large : noted {
        using noted::noted;
        std::byte rest[5000];
    };
    struct huge : noted {
        using noted::noted;
        std::byte rest[3'000'000];
    };
    std::vector<int> log;
    huge* const first = r.make<huge>(log, 1);
    r.make<huge>(log, 2);
    large* const third = r.make<large>(log, 3);
    r.make<large>(log, 4);
    r.destroy(first);
    r.destroy(third);
    r.destroy_all();
    EXPECT_THAT(log, ElementsAre(1, 3, 4, 2));
}

TEST_F(Destructors, OfARuntimesRoot) {
    std::vector<int> log;
    region inner;
    {
        skerry::options two;
        two.workers = 2;
        skerry::runtime rt(two);
        rt.root_region().make<noted>(log, 1);
        rt.run([&] {
            inner = root_region().create();
            EXPECT_EQ(root_region(), rt.root_region());
        });
        inner.make<noted>(log, 2);
        EXPECT_TRUE(detail::lies_within(detail::region_id{inner.id()}, detail::region_id{rt.root_region().id()}));
        EXPECT_NE(rt.root_region(), root_region());
        rt.root_region().destroy_all();
        EXPECT_THAT(log, ElementsAre(2, 1));
        rt.root_region().make<noted>(log, 3);
    }
    EXPECT_THAT(log, ElementsAre(2, 1, 3));
    EXPECT_FALSE(inner.exists());
}

TEST_F(Destructors, OfTheElisionsRoot) {
    std::vector<int> log;
    {
        skerry::serial::runtime rt;
        rt.run([&] { skerry::serial::root_region().make<noted>(log, 1); });
        EXPECT_EQ(skerry::serial::root_region(), root_region());
        EXPECT_NE(rt.root_region(), root_region());
    }
    EXPECT_THAT(log, ElementsAre(1));
}

TEST_F(Threads, contention) {
    constexpr int threads = 4;
#ifdef SKERRY_SLOW_BUILD
    constexpr int rounds = 2000;
#else
    constexpr int rounds = 20000;
#endif
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([this, t] {
            std::vector<std::span<int>> mine;
            std::uint32_t random = static_cast<std::uint32_t>(t) + 1;
            for (int i = 0; i < rounds; ++i) {
                random = random * 1664525 + 1013904223;
                if (mine.size() > 50 || (random >> 16) % 3 == 0) {
                    if (!mine.empty()) {
                        const std::size_t at = (random >> 8) % mine.size();
                        std::swap(mine[at], mine.back());
                        for (const int x : mine.back()) {
                            ASSERT_EQ(x, t);
                        }
                        r.destroy(mine.back().data());
                        mine.pop_back();
                    }
                } else if ((random >> 16) % 64 == 1) {
                    region inner = r.create();
                    *inner.make<int>() = t;
                    inner.make<std::string>(100U, 'x');
                    inner.destroy_all();
                } else {
                    const std::size_t n = (random >> 12) % 200 == 0 ? 5000 : 1 + (random >> 20) % 60;
                    mine.push_back(r.make_array<int>(n));
                    for (int& x : mine.back()) {
                        x = t;
                    }
                }
            }
            for (const std::span<int> s : mine) {
                for (const int x : s) {
                    ASSERT_EQ(x, t);
                }
                r.destroy(s.data());
            }
        });
    }
    for (std::thread& t : all) {
        t.join();
    }
    EXPECT_THAT(detail::extents_of(detail::region_id{r.id()}, true), IsEmpty());
}

// Readers of the page table need no lock, whatever others do.
TEST_F(Threads, LookupsWhileOthersMakeAndDestroy) {
    auto* const stable = r.make<int>(7);
    std::thread other([this] {
        for (int i = 0; i < 200; ++i) {
            region inner = r.create();
            static_cast<void>(inner.allocator<std::byte>().allocate(2'000'000));
            inner.make<int>(1);
            inner.destroy_all();
        }
    });
    for (std::size_t i = 0; i < 2000; ++i) {
        ASSERT_EQ(detail::region_of(stable), detail::region_id{r.id()});
        static_cast<void>(detail::region_of(reinterpret_cast<std::byte*>(stable) + (i % 64) * detail::page_bytes));
        const std::byte* const around = detail::try_block_around(stable).first;
        ASSERT_TRUE(around == nullptr || around == reinterpret_cast<std::byte*>(stable)); // null: the other was inside
    }
    other.join();
}

TEST_F(Errors, ARegionThatIsGone) {
    region gone = r.create();
    int* const inside = gone.make<int>(1);
    gone.destroy_all();
    const auto expect_refused = [](auto&& use, const char* what) {
        EXPECT_THAT(use, ThrowsMessage<std::logic_error>(
                             testing::AllOf(HasSubstr(what), HasSubstr(": region 0x"), HasSubstr(" was destroyed"))));
    };
    expect_refused([&] { gone.make<int>(1); }, "skerry: region::make:");
    expect_refused([&] { gone.make<std::string>("x"); }, "skerry: region::make:");
    expect_refused([&] { gone.make_array<int>(5); }, "skerry: region::make_array:");
    expect_refused([&] { gone.destroy(inside); }, "skerry: region::destroy:");
    expect_refused([&] { gone.destroy_all(); }, "skerry: region::destroy_all:");
    expect_refused([&] { static_cast<void>(gone.create()); }, "skerry: region::create:");
    expect_refused([&] { static_cast<void>(gone.allocator<int>().allocate(1)); }, "skerry: region::allocator:");
}

TEST_F(Errors, ARegionThatNeverWas) {
    EXPECT_THAT([] { region().make<int>(1); },
                ThrowsMessage<std::logic_error>("skerry: region::make with a skerry::region that names none; take one "
                                                "from create() or root_region()"));
}

TEST_F(Errors, PointersThatAreNoObjects) {
    int outside = 0;
    region other = r.create();
    const std::span<int> array = r.make_array<int>(8);
    const std::span<int> large = r.make_array<int>(5000);
    const std::span<int> huge = r.make_array<int>(500'000);
    int* const foreign = other.make<int>(3);
    int* const destroyed = r.make<int>(3);
    r.destroy(destroyed);
    for (int* const p : {&outside, array.data() + 1, array.data() + 7, large.data() + 1, large.data() + 1024,
                         huge.data() + 1, huge.data() + 262'144, foreign, destroyed}) {
        EXPECT_THAT([&] { r.destroy(p); },
                    ThrowsMessage<std::invalid_argument>(
                        testing::AllOf(HasSubstr("skerry: region::destroy(0x"), HasSubstr("): no object of region 0x"),
                                       HasSubstr(" begins there, or its destructor runs already"))));
    }
    EXPECT_EQ(*foreign, 3); // everything is as it was
    auto* const never_made = reinterpret_cast<std::string*>(r.make_array<std::byte>(64).data());
    EXPECT_THROW(r.destroy(never_made), std::invalid_argument);
    r.destroy(array.data());
    r.destroy(large.data());
    r.destroy(huge.data());
    other.destroy(foreign);
}

struct destroys_itself {
    explicit destroys_itself(region in) : home(in) {}
    destroys_itself(const destroys_itself&) = delete;
    destroys_itself& operator=(const destroys_itself&) = delete;
    ~destroys_itself() { EXPECT_THROW(home.destroy(this), std::invalid_argument); }
    region home;
};

TEST_F(Errors, TwiceTheSameObject) {
    r.destroy(r.make<destroys_itself>(r));
    r.make<destroys_itself>(r);
    r.destroy_all();
}

struct uses_its_region {
    explicit uses_its_region(region in) : home(in) {}
    uses_its_region(const uses_its_region&) = delete;
    uses_its_region& operator=(const uses_its_region&) = delete;
    ~uses_its_region() {
        const auto refused = ThrowsMessage<std::logic_error>(
            testing::AllOf(HasSubstr("skerry: region::"), HasSubstr(": region 0x"), HasSubstr(" is being destroyed")));
        EXPECT_THAT([this] { home.make<int>(1); }, refused);
        EXPECT_THAT([this] { static_cast<void>(home.create()); }, refused);
        EXPECT_THAT([this] { home.destroy_all(); }, refused);
    }
    region home;
};

TEST_F(Errors, ARegionThatIsGoing) {
    r.make<uses_its_region>(r);
    r.create().make<uses_its_region>(r);
    r.destroy_all();
    EXPECT_FALSE(r.exists());
}

// Destroys the region around its own.
struct reaches_out {
    reaches_out(region o, int& t) : outer(o), tries(t) {}
    reaches_out(const reaches_out&) = delete;
    reaches_out& operator=(const reaches_out&) = delete;
    ~reaches_out() {
        ++tries;
        EXPECT_THROW(outer.destroy_all(), std::logic_error);
    }
    region outer;
    int& tries;
};

TEST_F(Errors, TheRegionAroundOneThatIsGoing) {
    int tries = 0;
    region inner = r.create();
    region middle = inner.create();
    middle.make<reaches_out>(r, tries);
    inner.destroy_all();
    EXPECT_EQ(tries, 1);
    EXPECT_FALSE(inner.exists());
    ASSERT_TRUE(r.exists());
    EXPECT_EQ(*r.make<int>(2), 2); // the attempt left it usable
}

} // namespace
