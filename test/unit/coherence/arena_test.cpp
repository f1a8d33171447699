// SPDX-License-Identifier: Apache-2.0

// The arena below the regions: its places, its pages, its limits.

#include "coherence/arena.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include <skerry/region.hpp>

#include "../base/child.hpp"
#include "base/port/memory.hpp"
#include "base/port/poison.hpp"
#include "base/port/reserve.hpp"
#include "coherence/extents.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;
using skerry::root_region;
using skerry_test::run_in_child;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A small place that every build can have beside the one of the process.
constexpr arena_place small{skerry::port::addresses_may_be_tried ? 0x2800'0000'0000U : 0x68'0000'0000U,
                            64 * page_bytes};

TEST(Arena, UsualPlacesAreWholePages) {
    for (const arena_place& p : skerry::port::arena_places()) {
        EXPECT_EQ(p.address % page_bytes, 0U);
        EXPECT_EQ(p.bytes % page_bytes, 0U);
    }
}

TEST(Arena, smoke) {
    arena a(std::span(&small, 1));
    page& one = a.take(1, region_id{5});
    page& three = a.take(3, region_id{6});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one.begin), small.address);
    EXPECT_EQ(a.pages_in_use(), 4U);
    EXPECT_EQ(a.page_of(one.begin), &one);
    EXPECT_EQ(a.page_of(three.begin + 3 * page_bytes - 1), &three);
    EXPECT_EQ(a.page_of(three.begin + 3 * page_bytes), nullptr);
    EXPECT_EQ(a.page_of(&a), nullptr);
    EXPECT_EQ(a.page_of(nullptr), nullptr);
    EXPECT_EQ(a.region_of(one.begin + 17), region_id{5});
    EXPECT_EQ(a.region_of(&a), region_id::none);
    a.give(one);
    EXPECT_EQ(a.region_of(reinterpret_cast<void*>(small.address)), region_id::none);
    a.give(three);
    EXPECT_EQ(a.pages_in_use(), 0U);
}

TEST(Arena, exhaustion) {
    arena a(std::span(&small, 1));
    EXPECT_THROW(a.take(65, region_id{1}), std::bad_alloc);
    EXPECT_THROW(a.take(SIZE_MAX, region_id{1}), std::bad_alloc);
    std::vector<page*> taken;
    for (int i = 0; i < 64; ++i) {
        taken.push_back(&a.take(1, region_id{1}));
    }
    EXPECT_THROW(a.take(1, region_id{1}), std::bad_alloc);
    for (page* const p : taken) {
        a.give(*p);
    }
    page& all = a.take(64, region_id{1}); // also those that were kept warm
    EXPECT_EQ(all.pages, 64U);
    EXPECT_THROW(a.take(1, region_id{1}), std::bad_alloc);
    a.give(all);
}

TEST(Arena, NoMemoryForAPage) {
    arena a(std::span(&small, 1));
    skerry::port::fail_memory_after(0);
    EXPECT_THROW(a.take(2, region_id{1}), std::bad_alloc);
    EXPECT_EQ(a.pages_in_use(), 0U);
    page& p = a.take(2, region_id{1});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.begin), small.address); // the failure left the same pages free
    a.give(p);
    for (const int calls : {0, 1}) {
        skerry::port::fail_memory_after(calls);
        const arena_place other{small.address + small.bytes, small.bytes};
        EXPECT_THROW(arena(std::span(&other, 1)), std::bad_alloc);
    }
    skerry::port::fail_memory_after(-1);
}

TEST(Arena, TakesTheNextPlaceIfOneIsTaken) {
    if (!skerry::port::addresses_may_be_tried) {
        GTEST_SKIP() << "a build with ThreadSanitizer has one place";
    }
    const arena_place taken{0x2800'0000'0000, 16 * page_bytes};
    const arena_place free{0x2900'0000'0000, 16 * page_bytes};
    const arena first(std::span(&taken, 1));
    const arena_place both[]{taken, free};
    const arena second(both);
    EXPECT_EQ(second.place(), free);
    EXPECT_THAT([&] { const arena third(both); }, ThrowsMessage<std::system_error>(AllOf(
                                                      HasSubstr("skerry: cannot reserve 0 GiB of addresses for regions "
                                                                "at 0x280000000000"),
                                                      HasSubstr(": something else in this process has them"))));
}

TEST(Arena, ASmallOneIsToldOfOnce) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "sanitizers need address space of their own";
    }
    const auto child = run_in_child([] {
        const rlimit limit{.rlim_cur = rlim_t{1200} << 20, .rlim_max = rlim_t{1200} << 20};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) {
            return 2;
        }
        skerry::region r = skerry::root_region().create();
        r.make<int>(1);
        skerry::root_region().make<int>(1);
        return 0;
    });
    EXPECT_EQ(child.code, 0);
    EXPECT_EQ(child.output, "skerry: the arena for regions has 1 GiB in place of 1024; look at 'ulimit -v'\n");
}

TEST(Arena, ALimitOnAddressSpaceIsNamed) {
    if (skerry_test::sanitized) {
        GTEST_SKIP() << "sanitizers need address space of their own";
    }
    const auto child = run_in_child([] {
        const rlimit limit{.rlim_cur = rlim_t{768} << 20, .rlim_max = rlim_t{768} << 20};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) {
            return 1;
        }
        region r = root_region().create(); // needs none of it
        try {
            r.make<int>(1);
        } catch (const std::system_error& e) {
            std::fputs(e.what(), stdout);
            r.destroy_all();
            return e.code() == std::errc::not_enough_memory ? 0 : 2;
        }
        return 3;
    });
    EXPECT_TRUE(child.exited);
    EXPECT_EQ(child.code, 0);
    EXPECT_THAT(child.output,
                AllOf(HasSubstr("skerry: cannot reserve 1024 GiB of addresses for regions at 0x200000000000"),
                      HasSubstr(": this process may have only 786432 KiB of address space; raise that limit "
                                "(ulimit -v)")));
}

TEST(Arena, TheSystemsOwnReason) {
    if (!skerry::port::addresses_may_be_tried) {
        GTEST_SKIP() << "a build with ThreadSanitizer has one place";
    }
    const arena_place beyond{std::uintptr_t{1} << 62, 16 * page_bytes};
    EXPECT_THAT([&] { const arena a(std::span(&beyond, 1)); },
                ThrowsMessage<std::system_error>(HasSubstr(": the system refuses it")));
}

// A region of a full arena: nothing changes, and what is destroyed makes room.
TEST(Arena, RegionsOfAFullOne) {
    const auto child = run_in_child([] {
        if (!arena::choose({small})) {
            return 1;
        }
        region r = root_region().create();
        std::vector<std::byte*> made;
        try {
            for (;;) {
                made.push_back(r.make_array<std::byte>(3000).data());
            }
        } catch (const std::bad_alloc&) {
            // It is full.
        }
        const std::vector<extent> full = extents_of(region_id{r.id()}, true);
        if (made.size() != 64 * page_slabs ||
            full != std::vector{extent{arena::instance().page_of(made[0])->begin, small.bytes}}) {
            return 2;
        }
        region other = root_region().create();
        int thrown = 0;
        for (const std::size_t bytes : {1U, 5000U, 2'000'000U}) {
            try {
                other.make_array<std::byte>(bytes);
            } catch (const std::bad_alloc&) {
                ++thrown;
            }
        }
        if (thrown != 3 || extents_of(region_id{r.id()}, true) != full ||
            !extents_of(region_id{other.id()}, true).empty()) {
            return 3;
        }
        r.destroy(made.back());
        r.make<int>(4);
        r.destroy_all();
        other.make_array<std::byte>(small.bytes);
        return arena::choose({small}) ? 4 : 0; // it is too late now
    });
    EXPECT_TRUE(child.exited) << child.output;
    EXPECT_EQ(child.code, 0) << child.output;
}

TEST(Arena, AddressesAreTheSameInEveryProcess) {
    std::string first;
    for (int i = 0; i < 2; ++i) {
        const auto child = run_in_child([] {
            region r = root_region().create();
            std::printf("%p %p", static_cast<void*>(r.make<int>(1)),
                        static_cast<void*>(r.make_array<int>(1000).data()));
            return 0;
        });
        EXPECT_EQ(child.code, 0);
        EXPECT_THAT(child.output, HasSubstr(skerry::port::addresses_may_be_tried ? "0x2000000" : "0x10000"));
        EXPECT_TRUE(first.empty() || first == child.output) << first << " and " << child.output;
        first = child.output;
    }
}

TEST(Arena, ReleasedMemoryIsPoisoned) {
    if (!skerry::port::poisons) {
        GTEST_SKIP() << "not a build with AddressSanitizer";
    }
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    const auto child = run_in_child([] { // the other tests' children want a process without regions
        region r = root_region().create();
        int* const object = r.make<int>(1);
        auto* const large = r.make_array<std::byte>(10'000).data();
        EXPECT_FALSE(__asan_address_is_poisoned(object));
        EXPECT_TRUE(__asan_address_is_poisoned(object + 1)); // beyond the object, within its block
        EXPECT_TRUE(__asan_address_is_poisoned(large + 10'000));
        r.destroy(object);
        EXPECT_TRUE(__asan_address_is_poisoned(object));
        int* const again = r.make<int>(2);
        EXPECT_FALSE(__asan_address_is_poisoned(again));
        r.destroy_all();
        EXPECT_TRUE(__asan_address_is_poisoned(again));
        EXPECT_TRUE(__asan_address_is_poisoned(large));
        return HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(child.exited && child.code == 0) << child.output;
#endif
#endif
}

// Whether the system has been asked for large pages where this byte lies.
bool asked_for_large(const void* at) {
    std::ifstream maps("/proc/self/smaps");
    bool here = false;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t first = 0;
        std::uintptr_t end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx ", &first, &end) == 2) {
            here = reinterpret_cast<std::uintptr_t>(at) - first < end - first;
        } else if (here && line.starts_with("VmFlags:")) {
            return line.find(" hg") != std::string::npos;
        }
    }
    return false;
}
// Whether the system lets itself be asked, and says so.
const bool knows_large = [] {
    constexpr std::size_t bytes = std::size_t{4} << 20;
    void* const some = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool knows = some != MAP_FAILED && ::madvise(some, bytes, MADV_HUGEPAGE) == 0 && asked_for_large(some);
    ::munmap(some, bytes);
    return knows;
}();

// Pages of a region that has some already: two halves of a large one. Others get what is left.
TEST(Arena, ARegionOfManyPagesHasLargeOnes) {
    static_assert(small.address % (2 * page_bytes) == 0);
    arena a(std::span(&small, 1));
    std::vector<page*> taken{&a.take(1, region_id{1})};
    for (int i = 1; i < 6; ++i) {
        taken.push_back(&a.take(1, region_id{1}, true));
    }
    page& left = a.take(1, region_id{2});
    page& large = a.take(3, region_id{3});
    for (std::size_t i = 0; i < taken.size(); ++i) { // the second page has no half beside it
        EXPECT_EQ(a.number_of(*taken[i]), i);
        EXPECT_EQ(asked_for_large(taken[i]->begin), knows_large && i >= 2) << i;
    }
    EXPECT_EQ(a.number_of(left), 6U);
    EXPECT_FALSE(asked_for_large(left.begin));
    EXPECT_EQ(a.number_of(large), 7U);
    EXPECT_EQ(asked_for_large(large.begin), knows_large);
    std::size_t rest = 0;
    for (; rest < 54; ++rest) {
        taken.push_back(&a.take(1, region_id{1}, true));
    }
    EXPECT_THROW(a.take(1, region_id{1}, true), std::bad_alloc);
    for (page* const p : taken) {
        a.give(*p);
    }
    a.give(left);
    a.give(large);
    a.give(a.take(64, region_id{1})); // nothing is lost
}

TEST(Arena, NoMemoryForALargePage) {
    arena a(std::span(&small, 1));
    skerry::port::fail_memory_after(0);
    page& one = a.take(1, region_id{1}, true); // a small one will do
    EXPECT_EQ(a.number_of(one), 0U);
    EXPECT_FALSE(asked_for_large(one.begin));
    skerry::port::fail_memory_after(-1);
    a.give(one);
    a.give(a.take(64, region_id{1}));
}

// What other processes hand out is opened as large pages where more will come, but nothing of this one's share, and
// nothing beyond the arena.
TEST(Arena, PagesOfOthersAreOpenedAsLargeOnes) {
    constexpr std::size_t share = 21; // one border and the end lie within a large page
    struct step {
        unsigned rank;
        std::size_t opened;
        bool of_many;
        bool asked;
    };
    for (const step& s :
         {step{1, 0, false, false}, step{1, 3, true, true}, step{1, 20, true, false}, step{1, 42, true, true},
          step{1, 62, true, false}, step{0, 21, true, false}, step{0, 22, true, true}}) {
        const auto child = run_in_child([&s] {
            const arena_place all{small.address, 3 * share * page_bytes};
            if (!skerry::port::reserve_at(all.address, all.bytes)) {
                return 3;
            }
            arena::adopt(skerry::port::reservation(all), s.rank, 3);
            const auto* const at = reinterpret_cast<std::byte*>(all.address) + s.opened * page_bytes;
            return !arena::instance().open({.first = s.opened, .count = 1}, s.of_many) ? 2
                   : asked_for_large(at)                                               ? 1
                                                                                       : 0;
        });
        EXPECT_EQ(child.code, s.asked && knows_large ? 1 : 0)
            << "page " << s.opened << " in process " << s.rank << child.output;
    }
}

// If the system refuses the one beside it, too, a page alone will do.
TEST(Arena, NoMemoryForALargePageOfOthers) {
    const auto child = run_in_child([] {
        const arena_place all{small.address, 4 * page_bytes};
        if (!skerry::port::reserve_at(all.address, all.bytes)) {
            return 3;
        }
        arena::adopt(skerry::port::reservation(all), 0, 2);
        skerry::port::fail_memory_after(0);
        return arena::instance().open({.first = 2, .count = 1}, true) ? 0 : 1;
    });
    EXPECT_EQ(child.code, 0) << child.output;
}

// A source that others share: pages come from it, and go back to it.
class recording_source final : public page_source {
  public:
    explicit recording_source(std::vector<page_range>& t) : taken_(t) {}
    std::optional<page_range> take(std::size_t count) override {
        const page_range range{.first = 10 + 20 * taken_.size(), .count = count};
        if (range.first + count > 64) {
            return std::nullopt;
        }
        taken_.push_back(range);
        return range;
    }
    void give(page_range range) noexcept override { std::erase(taken_, range); }

  private:
    std::vector<page_range>& taken_;
};

TEST(Arena, PagesComeFromItsSource) {
    std::vector<page_range> taken;
    arena a(std::span(&small, 1), std::make_unique<recording_source>(taken));
    page& one = a.take(2, region_id{1});
    page& two = a.take(3, region_id{1});
    EXPECT_EQ(one.begin, reinterpret_cast<std::byte*>(small.address) + 10 * page_bytes);
    EXPECT_EQ(two.begin, one.begin + 20 * page_bytes);
    std::fill_n(two.begin, 0, std::byte{1});
    a.give(one);
    EXPECT_THAT(taken, testing::ElementsAre(page_range{.first = 30, .count = 3}));
    a.give(two);
    EXPECT_TRUE(taken.empty());
}

// Against a map of what is taken: never a page twice, and none refused while there is a gap that fits.
RC_GTEST_PROP(LocalPages, HandOutEachPageOnce, ()) {
    constexpr std::size_t pages = 64;
    local_pages source({.first = 0, .count = pages});
    std::vector<bool> used(pages);
    std::vector<page_range> taken;
    const auto steps = *rc::gen::container<std::vector<std::pair<bool, unsigned>>>(
        60, rc::gen::pair(rc::gen::weightedElement<bool>({{3, true}, {2, false}}), rc::gen::arbitrary<unsigned>()));
    for (const auto& [take, number] : steps) {
        if (take) {
            const std::size_t count = 1 + number % 9;
            std::size_t longest = 0;
            for (std::size_t i = 0, run = 0; i < pages; ++i) {
                run = used[i] ? 0 : run + 1;
                longest = std::max(longest, run);
            }
            const auto range = source.take(count);
            RC_ASSERT(range.has_value() == (longest >= count));
            for (std::size_t i = 0; range && i < count; ++i) {
                RC_ASSERT((range->first + i < pages && !used[range->first + i]));
                used[range->first + i] = true;
            }
            if (range) {
                taken.push_back(*range);
            }
        } else if (!taken.empty()) {
            std::swap(taken[number % taken.size()], taken.back());
            page_range back = taken.back();
            taken.pop_back();
            if (back.count > 1 && number % 2 == 0) { // in two parts
                taken.push_back({.first = back.first, .count = 1});
                back = {.first = back.first + 1, .count = back.count - 1};
            }
            source.give(back);
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(back.first), back.count, false);
        }
    }
}

} // namespace
