// SPDX-License-Identifier: Apache-2.0

// Boxes of bytes and the names of parts against sets of bytes; the table of names with parts of arrays against the
// comparison of every pair.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skerry/detail/core/access.hpp>
#include <skerry/detail/core/part_name.hpp>
#include <skerry/partition.hpp>

#include "deps/name_table.hpp"

namespace {

using skerry::detail::access;
using skerry::detail::access_kind;
using skerry::detail::access_mode;
using skerry::detail::byte_box;
using skerry::detail::name_table;
using skerry::detail::part_name;
using skerry::detail::tiling;

class numbers {
  public:
    explicit numbers(std::uint64_t seed) : state_(seed) {}
    std::size_t operator()(std::size_t low, std::size_t high) { // both may come
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return low + (state_ >> 33) % (high - low + 1);
    }

  private:
    std::uint64_t state_;
};

// Small arrays of bytes near each other, so that many overlap.
tiling any_tiling(numbers& next) {
    tiling t{};
    t.first = 1000 + next(0, 60);
    for (std::size_t d = 0; d < 3; ++d) {
        t.extent[d] = next(1, d == 2 ? 9 : 4);
        t.tile[d] = next(1, t.extent[d]);
    }
    t.pitch[1] = t.extent[2] + (next(0, 1) == 0 ? 0 : next(1, 6));
    t.pitch[0] = (t.extent[1] - 1) * t.pitch[1] + t.extent[2] + (next(0, 1) == 0 ? 0 : next(1, 9));
    return t;
}

std::size_t parts_in(const tiling& t, std::size_t d) { return (t.extent[d] + t.tile[d] - 1) / t.tile[d]; }

part_name any_part(numbers& next, const tiling& t) {
    part_name p{t, {}};
    for (std::size_t d = 0; d < 3; ++d) {
        p.at[d] = next(0, parts_in(t, d) - 1);
    }
    return p;
}

// By definition.
std::set<std::uintptr_t> bytes_of(const part_name& p) {
    std::set<std::uintptr_t> all;
    const tiling& t = p.of;
    for (std::size_t i = p.at[0] * t.tile[0]; i < std::min(t.extent[0], (p.at[0] + 1) * t.tile[0]); ++i) {
        for (std::size_t j = p.at[1] * t.tile[1]; j < std::min(t.extent[1], (p.at[1] + 1) * t.tile[1]); ++j) {
            for (std::size_t k = p.at[2] * t.tile[2]; k < std::min(t.extent[2], (p.at[2] + 1) * t.tile[2]); ++k) {
                all.insert(t.first + i * t.pitch[0] + j * t.pitch[1] + k);
            }
        }
    }
    return all;
}

std::set<std::uintptr_t> bytes_of(std::uintptr_t first, std::size_t n) {
    std::set<std::uintptr_t> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.insert(first + i);
    }
    return all;
}

bool meet(const std::set<std::uintptr_t>& a, const std::set<std::uintptr_t>& b) {
    return std::ranges::any_of(a, [&b](std::uintptr_t x) { return b.contains(x); });
}

access range(std::uintptr_t first, std::size_t n, access_mode mode = access_mode::inout) {
    return {first, {n}, mode, access_kind::bytes};
}
access part(const part_name& p, access_mode mode = access_mode::inout) {
    access a{p.first(), {0}, mode, access_kind::part};
    a.part = &p;
    return a;
}

TEST(PartName, ABoxIsItsBytes) {
    numbers next(1);
    for (int i = 0; i < 3000; ++i) {
        const part_name p = any_part(next, any_tiling(next));
        const std::set<std::uintptr_t> expected = bytes_of(p);
        const byte_box box = p.shape();
        std::vector<std::uintptr_t> found;
        box.every_run([&found](std::uintptr_t first, std::size_t n) {
            for (std::size_t b = 0; b < n; ++b) {
                found.push_back(first + b);
            }
            return true;
        });
        ASSERT_TRUE(std::ranges::equal(found, expected)); // in the order of their addresses, each once
        ASSERT_EQ(box.bytes(), expected.size());
        ASSERT_EQ(box.first, *expected.begin());
        ASSERT_EQ(box.end(), *expected.rbegin() + 1);
        ASSERT_EQ(p.first(), box.first);
    }
}

TEST(PartName, TouchesAndCoversAsItsBytesSay) {
    numbers next(2);
    std::array<int, 2> covered{};
    std::array<int, 2> touched{};
    for (int i = 0; i < 30'000; ++i) {
        const part_name p = any_part(next, any_tiling(next));
        const std::set<std::uintptr_t> all = bytes_of(p);
        const std::uintptr_t low = 990 + next(0, 120);
        const std::size_t n = next(1, 12);
        const auto asked = bytes_of(low, n);
        const bool touches = meet(all, asked);
        const bool covers = std::ranges::includes(all, asked);
        ASSERT_EQ(p.shape().touches(low, low + n), touches);
        ASSERT_EQ(p.shape().covers(low, low + n), covers);
        ++touched[touches ? 1 : 0];
        ++covered[covers ? 1 : 0];
    }
    EXPECT_GT(std::min(touched[0], touched[1]), 1000);
    EXPECT_GT(std::min(covered[0], covered[1]), 300);
}

TEST(PartName, NamesOverlapAndContainEachOtherAsTheirBytesDo) {
    numbers next(3);
    int overlaps = 0;
    int contained = 0;
    for (int i = 0; i < 20'000; ++i) {
        const tiling t = any_tiling(next);
        const part_name p = any_part(next, t);
        const part_name q = any_part(next, i % 3 == 0 ? t : any_tiling(next));
        const auto a = bytes_of(p);
        const auto b = bytes_of(q);
        ASSERT_EQ(overlapping(part(p), part(q)), meet(a, b));
        ASSERT_EQ(contains(part(p), part(q)), std::ranges::includes(a, b));
        const std::uintptr_t first = 990 + next(0, 120);
        const std::size_t n = next(1, 30);
        ASSERT_EQ(overlapping(part(p), range(first, n)), meet(a, bytes_of(first, n)));
        ASSERT_EQ(overlapping(range(first, n), part(p)), meet(a, bytes_of(first, n)));
        ASSERT_EQ(contains(range(first, n), part(p)), std::ranges::includes(bytes_of(first, n), a));
        ASSERT_EQ(contains(part(p), range(first, n)), std::ranges::includes(a, bytes_of(first, n)));
        overlaps += meet(a, b) ? 1 : 0;
        contained += std::ranges::includes(a, b) ? 1 : 0;
    }
    EXPECT_GT(overlaps, 2000);
    EXPECT_GT(contained, 500);
    const part_name p = any_part(next, any_tiling(next));
    EXPECT_FALSE(contains(part(p, access_mode::in), part(p, access_mode::out)));
}

// Everything that appears is compared with all that came before, by definition.
void compare(std::uint64_t seed, std::size_t partitions, int names, std::size_t& with_hooks) {
    numbers next(seed);
    name_table t;
    std::deque<part_name> kept;
    std::vector<tiling> tilings;
    for (std::size_t i = 0; i < partitions; ++i) {
        tilings.push_back(any_tiling(next));
    }
    std::vector<name_table::entry*> all;
    for (int i = 0; i < names; ++i) {
        access a = range(990 + next(0, 120), next(1, 40));
        if (next(0, 3) != 0) {
            kept.push_back(any_part(next, tilings[next(0, partitions - 1)]));
            a = part(kept.back());
        }
        const std::size_t before = t.size();
        name_table::entry& e = t.at(a);
        ASSERT_EQ(&e, &t.at(a));
        ASSERT_TRUE(same_name(e.name, a));
        if (t.size() == before) {
            continue;
        }
        std::size_t expected = 0;
        for (name_table::entry* const other : all) {
            const bool overlap = overlapping(other->name, a);
            expected += overlap ? 1 : 0;
            ASSERT_EQ(std::ranges::count(e.hooks, other), overlap ? 1 : 0) << seed;
        }
        ASSERT_EQ(e.hooks.size(), expected);
        with_hooks += e.hooks.empty() ? 0 : 1;
        all.push_back(&e);
    }
}

TEST(NameTable, FindsEveryOverlapOfParts) {
    std::size_t with_hooks = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        compare(seed, 1 + seed % 4, 60, with_hooks);
    }
    EXPECT_GT(with_hooks, 5000U);
}

// Tiles of a matrix share granules of every size, so a search would compare each with its whole row of tiles.
TEST(NameTable, PartsOfOnePartitionAreNotCompared) {
    constexpr std::size_t n = 64;
    std::vector<std::uint64_t> matrix(n * n);
    const auto tiles = skerry::partition(matrix, {n, n}, {4, 4});
    std::deque<part_name> kept;
    const auto appear = [&](name_table& t, const auto& partition, std::size_t i, std::size_t j) -> name_table::entry& {
        kept.push_back(partition(i, j).name());
        return t.at(part(kept.back()));
    };
    const auto element = [&](std::size_t i) { return range(reinterpret_cast<std::uintptr_t>(&matrix[i]), 8); };
    const auto whole = range(reinterpret_cast<std::uintptr_t>(matrix.data()), n * n * 8);

    name_table t;
    for (std::size_t i = 0; i < tiles.count(0); ++i) {
        for (std::size_t j = 0; j < tiles.count(1); ++j) {
            EXPECT_TRUE(appear(t, tiles, i, j).hooks.empty());
        }
    }
    EXPECT_EQ(t.searches(), 0U);
    EXPECT_EQ(t.overlaps(), 0U);
    EXPECT_EQ(t.at(element(5 * n + 9)).hooks, std::vector{&appear(t, tiles, 1, 2)});
    EXPECT_EQ(t.at(whole).hooks.size(), tiles.size() + 1);

    // An element was there before: only now do parts have to look.
    name_table u;
    u.at(element(5 * n + 9));
    EXPECT_EQ(appear(u, tiles, 1, 2).hooks.size(), 1U);
    EXPECT_TRUE(appear(u, tiles, 2, 1).hooks.empty());
    EXPECT_EQ(u.searches(), 2U);
    EXPECT_EQ(u.overlaps(), 1U);

    // Rows of the same matrix: each crosses one row of tiles.
    name_table v;
    const auto rows = skerry::partition(matrix, {n, n}, {1, n});
    for (std::size_t j = 0; j < tiles.count(1); ++j) {
        appear(v, tiles, 3, j);
        appear(v, tiles, 4, j);
    }
    EXPECT_EQ(appear(v, rows, 13, 0).hooks.size(), tiles.count(1));
    EXPECT_TRUE(appear(v, rows, 20, 0).hooks.empty());
    EXPECT_EQ(appear(v, tiles, 5, 0).hooks.size(), 1U);
    v.clear();
    EXPECT_TRUE(appear(v, rows, 13, 0).hooks.empty());
}

} // namespace
