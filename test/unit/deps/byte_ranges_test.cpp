// SPDX-License-Identifier: Apache-2.0

// Ranges of bytes against a set that holds each byte for itself.

#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "deps/byte_ranges.hpp"

namespace {

using skerry::detail::byte_ranges;

constexpr std::uintptr_t addresses = 48;

enum class act { insert, erase, clear };

TEST(byte_ranges, edges) {
    byte_ranges held;
    EXPECT_TRUE(held.empty());
    EXPECT_TRUE(held.contains(5, 0));
    EXPECT_FALSE(held.contains(5, 1));
    held.insert(10, 0);
    held.erase(10, 4);
    EXPECT_TRUE(held.empty());
    held.insert(10, 10);
    held.insert(20, 10); // touches: one range
    EXPECT_TRUE(held.contains(10, 20));
    EXPECT_FALSE(held.contains(9, 2));
    EXPECT_FALSE(held.contains(29, 2));
    held.erase(15, 0);
    EXPECT_TRUE(held.contains(10, 20));
    held.erase(15, 10); // cuts it in two
    EXPECT_TRUE(held.contains(10, 5));
    EXPECT_TRUE(held.contains(25, 5));
    EXPECT_FALSE(held.contains(14, 2));
    EXPECT_FALSE(held.contains(24, 1));
    std::vector<std::pair<std::uintptr_t, std::size_t>> missing;
    held.for_each_missing(5, 30, [&](std::uintptr_t at, std::size_t n) { missing.emplace_back(at, n); });
    const std::vector<std::pair<std::uintptr_t, std::size_t>> gaps{{5, 5}, {15, 10}, {30, 5}};
    EXPECT_EQ(missing, gaps);
    held.clear();
    EXPECT_TRUE(held.empty());
}

RC_GTEST_PROP(byte_ranges, does_what_a_set_of_bytes_does, ()) {
    const auto step =
        rc::gen::tuple(rc::gen::weightedElement<act>({{20, act::insert}, {12, act::erase}, {1, act::clear}}),
                       rc::gen::inRange<std::uintptr_t>(1, addresses), rc::gen::inRange<std::size_t>(0, 20));
    const auto steps = *rc::gen::container<std::vector<std::tuple<act, std::uintptr_t, std::size_t>>>(step);
    byte_ranges held;
    std::set<std::uintptr_t> bytes;
    for (const auto& [what, first, count] : steps) {
        switch (what) {
        case act::insert: held.insert(first, count); break;
        case act::erase: held.erase(first, count); break;
        case act::clear:
            held.clear();
            bytes.clear();
            break;
        }
        for (std::uintptr_t b = first; what != act::clear && b < first + count; ++b) {
            if (what == act::insert) {
                bytes.insert(b);
            } else {
                bytes.erase(b);
            }
        }
        RC_ASSERT(held.empty() == bytes.empty());
        for (std::uintptr_t b = 0; b < addresses + 20; ++b) {
            std::uintptr_t end = b;
            while (bytes.contains(end)) {
                ++end;
            }
            RC_ASSERT(held.contains(b, end - b));
            RC_ASSERT(!held.contains(b, end - b + 1));
        }
        std::set<std::uintptr_t> missing;
        std::set<std::uintptr_t> common;
        for (std::uintptr_t b = first; b < first + count; ++b) {
            (bytes.contains(b) ? common : missing).insert(b);
        }
        std::set<std::uintptr_t> told;
        const auto hear = [&told](std::uintptr_t at, std::size_t n) {
            RC_ASSERT(n != 0);
            for (std::uintptr_t b = at; b < at + n; ++b) {
                RC_ASSERT(told.insert(b).second);
            }
        };
        held.for_each_missing(first, count, hear);
        RC_ASSERT(told == missing);
        told.clear();
        held.for_each_common(first, count, hear);
        RC_ASSERT(told == common);
    }
}

} // namespace
