// SPDX-License-Identifier: Apache-2.0

// Where tasks go: how many a process asks for, and which one it gets.

#include <array>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "deps/placement.hpp"

namespace {

using namespace skerry::detail;

using appetite = message_steal::appetite; // {any, own}

TEST(Placement, AnIdleProcessAsksTheFirstForAllItHasRoomForAndOthersForOne) {
    const process_load idle{.workers = 2, .idle = 2};
    EXPECT_EQ(placement::appetite(idle, 0), (appetite{4, 0}));
    EXPECT_EQ(placement::appetite(idle, 2), (appetite{1, 0}));
}

TEST(Placement, WhatCameTakesRoom) {
    EXPECT_EQ(placement::appetite({.workers = 2, .here = 3}, 0), (appetite{1, 0}));
    EXPECT_EQ(placement::appetite({.workers = 2, .here = 4}, 0), (appetite{0, 0}));
    EXPECT_EQ(placement::appetite({.workers = 2, .here = 9}, 2), (appetite{0, 0}));
}

TEST(Placement, WhoHasTasksOfItsOwnInTheQueueAsksForNone) {
    EXPECT_EQ(placement::appetite({.workers = 1, .queued = true}, 0), (appetite{0, 0}));
    // They are what came, and nobody has begun it.
    EXPECT_EQ(placement::appetite({.workers = 1, .here = 1, .unbegun = 1, .queued = true}, 0), (appetite{2, 0}));
}

TEST(Placement, WhereAllWorkersWaitNobodyTakesAnything) {
    EXPECT_EQ(placement::appetite({.workers = 2, .waiting = 1, .joining = 1}, 0), (appetite{0, 0}));
    EXPECT_EQ(placement::appetite({.workers = 2, .joining = 1}, 0), (appetite{4, 0}));
}

TEST(Placement, WhoWaitsAsksForWhatDescendsFromTasksThatAreAway) {
    EXPECT_EQ(placement::appetite({.workers = 2, .waiting = 2}, 1), (appetite{0, 0}));
    EXPECT_EQ(placement::appetite({.workers = 2, .waiting = 2, .lent = true}, 1), (appetite{0, 2}));
    EXPECT_EQ(placement::appetite({.workers = 2, .waiting = 2, .here = 1, .unbegun = 1, .lent = true}, 1),
              (appetite{0, 1}));
}

TEST(Placement, TheFirstProcessAsksForItsOwnOnly) {
    EXPECT_EQ(placement::appetite({.first = true, .workers = 3, .idle = 2}, 1), (appetite{0, 0}));
    EXPECT_EQ(placement::appetite({.first = true, .workers = 3, .idle = 2, .lent = true}, 1), (appetite{0, 2}));
    EXPECT_EQ(placement::appetite({.first = true, .workers = 3, .idle = 1, .waiting = 1, .lent = true}, 1),
              (appetite{0, 2}));
}

TEST(Placement, WhatCameTakesTheRoomOfIdleWorkersAndNotOfThoseThatWait) {
    EXPECT_EQ(placement::appetite({.first = true, .workers = 2, .idle = 2, .here = 3, .lent = true}, 1),
              (appetite{0, 1}));
    EXPECT_EQ(placement::appetite({.first = true, .workers = 2, .idle = 2, .here = 5, .lent = true}, 1),
              (appetite{0, 0}));
    EXPECT_EQ(placement::appetite({.first = true, .workers = 2, .idle = 1, .waiting = 1, .here = 5, .lent = true}, 1),
              (appetite{0, 1}));
}

skerry::detail::access bytes(std::uintptr_t first, std::size_t extent, access_mode m) {
    return {.first = first, .extent = extent, .mode = m, .kind = access_kind::bytes};
}

TEST(Placement, BytesThatAreThereSpeakForItAndThoseToBeFetchedAgainst) {
    std::array<access_node, 3> nodes{};
    nodes[0].what = bytes(0x1000, 100, access_mode::in);
    nodes[1].what = bytes(0x2000, 10, access_mode::inout);
    nodes[2].what = bytes(0x3000, 1000, access_mode::out);
    const auto with = [&nodes](std::uintptr_t held) {
        return placement::nearness(nodes, [held](std::uintptr_t at, std::size_t) { return at == held; });
    };
    EXPECT_EQ(with(0), -110); // what is overwritten is not fetched
    EXPECT_EQ(with(0x1000), 90);
    EXPECT_EQ(with(0x2000), -90);
    EXPECT_EQ(with(0x3000), 890);
    EXPECT_EQ(placement::nearness(nodes, [](std::uintptr_t, std::size_t) { return true; }), 1110);
}

TEST(Placement, OfAPartTheRowsCount) {
    part_name part{};
    part.of.first = 0x1000;
    part.of.extent = {1, 4, 40};
    part.of.tile = {1, 2, 10};
    part.of.pitch = {160, 40};
    part.at = {0, 1, 2};
    std::array<access_node, 1> nodes{};
    nodes[0].what = {.first = part.first(), .part = &part, .mode = access_mode::in, .kind = access_kind::part};
    std::size_t rows = 0;
    EXPECT_EQ(placement::nearness(nodes, [&rows](std::uintptr_t, std::size_t n) { return n == 10 && rows++ == 0; }), 0);
    EXPECT_EQ(rows, 2U);
}

} // namespace
