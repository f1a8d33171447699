// SPDX-License-Identifier: Apache-2.0

// std's containers in regions.

#include <skerry/region.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/child.hpp"
#include "coherence/extents.hpp"

namespace {

using skerry::region;
using skerry::region_allocator;
using skerry::root_region;
using testing::ElementsAre;

namespace detail = skerry::detail;

template <class T>
using vector = std::vector<T, region_allocator<T>>;
template <class T>
using list = std::list<T, region_allocator<T>>;
using string = std::basic_string<char, std::char_traits<char>, region_allocator<char>>;

class Allocator : public testing::Test { // NOLINT(cppcoreguidelines-virtual-class-destructor): gtest derives
  public:
    Allocator(const Allocator&) = delete;
    Allocator& operator=(const Allocator&) = delete;

  protected:
    Allocator() = default;
    ~Allocator() override {
        if (r.exists()) {
            r.destroy_all();
        }
    }

    [[nodiscard]] bool lies_in(const void* p, region where) const {
        return detail::region_of(p) == detail::region_id{where.id()};
    }
    [[nodiscard]] bool empty(region where) const {
        return detail::extents_of(detail::region_id{where.id()}, false).empty();
    }

    region r = root_region().create();
};

TEST_F(Allocator, IsWhatStdAsksFor) {
    using traits = std::allocator_traits<region_allocator<int>>;
    static_assert(std::is_same_v<traits::pointer, int*>);
    static_assert(std::is_same_v<traits::rebind_alloc<char>, region_allocator<char>>);
    static_assert(!traits::is_always_equal::value);
    static_assert(!traits::propagate_on_container_swap::value);
    static_assert(std::is_nothrow_copy_constructible_v<region_allocator<int>>);
    const region_allocator<int> a = r.allocator<int>();
    const region_allocator<char> b = a;
    EXPECT_TRUE(a == b);
    EXPECT_EQ(b.home(), r);
    EXPECT_FALSE(a == root_region().allocator<int>());
}

TEST_F(Allocator, Vector) {
    {
        vector<int> v(r.allocator<int>());
        for (int i = 0; i < 100'000; ++i) {
            v.push_back(i);
        }
        EXPECT_TRUE(lies_in(v.data(), r));
        EXPECT_EQ(v[99'999], 99'999);
        v.clear();
        v.shrink_to_fit();
        EXPECT_TRUE(empty(r));
        v.assign(10, 3);
    }
    EXPECT_TRUE(empty(r));
}

TEST_F(Allocator, List) {
    {
        list<std::pair<int, double>> l(r.allocator<int>());
        for (int i = 0; i < 1000; ++i) {
            l.emplace_front(i, i);
        }
        EXPECT_TRUE(std::all_of(l.begin(), l.end(), [this](auto& x) { return lies_in(&x, r); }));
        l.remove_if([](auto& x) { return x.first % 2 == 0; });
        EXPECT_EQ(l.size(), 500U);
    }
    EXPECT_TRUE(empty(r));
}

TEST_F(Allocator, Maps) {
    {
        std::map<int, string, std::less<>, region_allocator<std::pair<const int, string>>> m(
            std::less<>(), r.allocator<std::pair<const int, string>>());
        std::unordered_map<int, int, std::hash<int>, std::equal_to<>, region_allocator<std::pair<const int, int>>> u(
            10, std::hash<int>(), std::equal_to<>(), r.allocator<std::pair<const int, int>>());
        std::set<int, std::less<>, region_allocator<int>> s(std::less<>(), r.allocator<int>());
        for (int i = 0; i < 1000; ++i) {
            m.emplace(i, string(static_cast<std::size_t>(i % 100), 'x', r.allocator<char>()));
            u[i * 7] = i;
            s.insert(-i);
        }
        EXPECT_TRUE(lies_in(&*m.find(50), r) && lies_in(m.find(50)->second.data(), r));
        EXPECT_TRUE(lies_in(&*u.find(70), r) && lies_in(&*s.begin(), r));
        EXPECT_EQ(m.at(99).size(), 99U);
        EXPECT_EQ(u.at(700), 100);
        for (int i = 0; i < 1000; i += 2) {
            m.erase(i);
            u.erase(i * 7);
            s.erase(-i);
        }
        EXPECT_EQ(m.size() + u.size() + s.size(), 1500U);
    }
    EXPECT_TRUE(empty(r));
}

TEST_F(Allocator, StringAndDeque) {
    {
        string text("a text that is too long for the place inside of a string", r.allocator<char>());
        text += text;
        EXPECT_TRUE(lies_in(text.data(), r));
        std::deque<int, region_allocator<int>> d(r.allocator<int>());
        for (int i = 0; i < 5000; ++i) {
            d.push_back(i);
            d.push_front(-i);
        }
        EXPECT_TRUE(lies_in(&d.front(), r));
        EXPECT_EQ(d.front() + d.back(), 0);
    }
    EXPECT_TRUE(empty(r));
}

// The whole structure lies in the region, and goes with it: no leak, no double free.
TEST_F(Allocator, AContainerThatIsAnObjectOfItsRegion) {
    auto* const lines = r.make<vector<string>>(r.allocator<string>());
    for (int i = 0; i < 100; ++i) {
        lines->emplace_back(std::string(static_cast<std::size_t>(i), 'y'), r.allocator<char>());
    }
    EXPECT_TRUE(lies_in(lines, r) && lies_in(lines->back().data(), r));
    r.destroy(lines);
    EXPECT_TRUE(empty(r));
    r.make<vector<string>>(10U, string("a text that is too long for the place inside of a string", r.allocator<char>()),
                           r.allocator<string>());
    r.destroy_all();
}

TEST_F(Allocator, StaysInItsRegion) {
    region other = r.create();
    vector<int> here({1, 2, 3}, r.allocator<int>());
    vector<int> there({4, 5}, other.allocator<int>());
    here = there;
    EXPECT_TRUE(lies_in(here.data(), r));
    EXPECT_THAT(here, ElementsAre(4, 5));
    here.clear();
    here.shrink_to_fit();
    here = std::move(there);
    EXPECT_TRUE(lies_in(here.data(), r));
    EXPECT_THAT(here, ElementsAre(4, 5));

    const vector<int> copy = here;
    EXPECT_TRUE(lies_in(copy.data(), r));
    const vector<int> elsewhere(here, other.allocator<int>());
    EXPECT_TRUE(lies_in(elsewhere.data(), other));

    vector<int> same({7}, r.allocator<int>());
    swap(same, here);
    EXPECT_THAT(here, ElementsAre(7));
}

TEST_F(Allocator, MayOutliveItsRegion) {
    region inner = r.create();
    vector<int> v(100, 1, inner.allocator<int>());
    // NOLINTNEXTLINE(bugprone-unused-local-non-trivial-variable): it outlives its region
    const string text("a text that is too long for the place inside of a string", inner.allocator<char>());
    inner.destroy_all();
    int* const later = r.make<int>(5);
    // Their destructors give back memory that is gone already, and do no harm.
    v = vector<int>(r.allocator<int>());
    EXPECT_EQ(*later, 5);
}

TEST_F(Allocator, Exhaustion) {
    EXPECT_THROW(static_cast<void>(r.allocator<int>().allocate(SIZE_MAX / 2)), std::bad_array_new_length);
    EXPECT_THROW(static_cast<void>(r.allocator<int>().allocate(SIZE_MAX / 64)), std::bad_alloc);
    EXPECT_THROW(r.make_array<long>(SIZE_MAX / 4), std::bad_array_new_length);
    EXPECT_THROW(r.make_array<long>(SIZE_MAX / 64), std::bad_alloc);
    EXPECT_TRUE(empty(r));
}

TEST_F(Allocator, MemoryOfAnotherRegionEndsTheProcess) {
    if (!skerry_test::sanitized) { // the sanitizers print of their own
        const auto child = skerry_test::run_in_child([this] {
            region other = r.create();
            r.allocator<int>().deallocate(other.make<int>(1), 1);
            return 0;
        });
        EXPECT_FALSE(child.exited);
        EXPECT_THAT(child.output,
                    testing::AllOf(testing::StartsWith("skerry: region_allocator::deallocate(0x"),
                                   testing::HasSubstr("): no memory of region 0x"),
                                   testing::EndsWith(" begins there; were containers of two regions swapped?\n")));
    }
}

struct destroys_home {
    explicit destroys_home(region home) { home.destroy_all(); }
    destroys_home(const destroys_home&) = delete;
    destroys_home& operator=(const destroys_home&) = delete;
    ~destroys_home() {}
};

TEST_F(Allocator, AConstructorThatDestroysTheRegionEndsTheProcess) {
    if (!skerry_test::sanitized) {
        const auto child = skerry_test::run_in_child([this] {
            r.create().make<destroys_home>(r);
            return 0;
        });
        EXPECT_FALSE(child.exited);
        EXPECT_EQ(child.output,
                  "skerry: a region was destroyed by the constructor of an object that is being made in it\n");
    }
}

} // namespace
