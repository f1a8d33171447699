// SPDX-License-Identifier: Apache-2.0

// Regions as memory.

#include "coherence/extents.hpp"

#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/region.hpp>

#include "coherence/size_class.hpp"

namespace {

using namespace skerry::detail;
using skerry::region;

class Extents : public testing::Test { // NOLINT(cppcoreguidelines-virtual-class-destructor): gtest derives
  protected:
    ~Extents() override { home.destroy_all(); }

    [[nodiscard]] std::vector<extent> of(const region& r, bool recursive) const {
        return extents_of(region_id{r.id()}, recursive);
    }

    region home = skerry::root_region().create();
};

TEST_F(Extents, OfARegionAndThoseWithin) {
    region inner = home.create().create();
    const std::byte* const in_home = home.make<std::byte>();
    const std::byte* const in_inner = inner.make<std::byte>();
    const auto has = [](const std::vector<extent>& all, const std::byte* address) {
        for (const extent& e : all) {
            if (address >= e.first && address < e.first + e.bytes) {
                return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(has(of(home, true), in_home));
    EXPECT_TRUE(has(of(home, true), in_inner));
    EXPECT_TRUE(has(of(home, false), in_home));
    EXPECT_FALSE(has(of(home, false), in_inner));
    EXPECT_FALSE(has(of(inner, true), in_home));
}

TEST_F(Extents, ALargeObjectIsWhole) {
    const std::size_t bytes = 3 * page_bytes + 5;
    auto* const first = home.make_array<std::byte>(bytes).data();
    const std::vector<extent> expected{{first, 3 * page_bytes + slab_bytes}};
    EXPECT_EQ(of(home, true), expected);
    const extent whole{first, bytes};
    EXPECT_EQ(try_block_around(first + bytes - 1), whole);
    EXPECT_EQ(try_block_around(first + bytes), extent{});
}

TEST_F(Extents, GapsStayGaps) {
    std::array<std::byte*, 3> parts{};
    for (std::byte*& p : parts) {
        p = home.make_array<std::byte>(slab_bytes).data();
    }
    ASSERT_EQ(parts[1], parts[0] + slab_bytes);
    ASSERT_EQ(parts[2], parts[1] + slab_bytes);
    EXPECT_EQ(of(home, true), (std::vector<extent>{{parts[0], 3 * slab_bytes}}));
    home.destroy(parts[1]);
    EXPECT_EQ(of(home, true), (std::vector<extent>{{parts[0], slab_bytes}, {parts[2], slab_bytes}}));
}

TEST_F(Extents, PlacesOfRegionsThatAreGoneAreUsedAgain) {
    const auto slot = [](const region& r) { return slot_of(region_id{r.id()}); };
    region first = home.create();
    const auto used = slot(first);
    first.destroy_all();
    EXPECT_EQ(slot(home.create()), used);
}

} // namespace
