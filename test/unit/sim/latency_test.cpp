// SPDX-License-Identifier: Apache-2.0

// What an access costs, against the figures of Table II: chases of pointers through as many bytes as fit a level. The
// cost of the loop itself is the one of the chase that hits.

#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>

#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;

struct link {
    link* next;
    char rest[56];
};

// A ring through so many lines, `stride` lines apart. Cold when it is returned.
link* ring(unsigned lines, unsigned stride) {
    auto* const links = static_cast<link*>(std::aligned_alloc(64, sizeof(link) * lines * stride));
    for (unsigned i = 0; i < lines; ++i) {
        links[i * stride].next = &links[(i + 1) % lines * stride];
    }
    publish_all();
    discard_all();
    return links;
}

// Cycles for so many steps.
[[gnu::noinline]] std::uint64_t chase(link*& at, unsigned count) {
    link* here = at;
    const std::uint64_t begin = now();
    for (unsigned i = 0; i < count; ++i) {
        here = here->next;
    }
    const std::uint64_t cycles = now() - begin;
    at = here;
    return cycles;
}

constexpr std::uint64_t hop = 2;        // 1-cycle channel, 1-cycle router
constexpr std::uint64_t flit = 1;       // 8 bytes
constexpr std::uint64_t line_flits = 5; // 72 bytes in flits of 16
constexpr std::uint64_t l2_cycles = 10;
constexpr std::uint64_t dram_cycles = 60;

// Core 0 of the 2x2 mesh is at (0, 0); bank 0 lies below (0, 1), bank 1 below (1, 1); lines alternate between them.
constexpr std::uint64_t trip(std::uint64_t hops) { return 2 * hops * hop + flit + l2_cycles + line_flits; }
constexpr std::uint64_t two_misses = trip(2) + trip(3);

constexpr unsigned steps = 1000;
constexpr std::uint64_t loop = (steps + 1) * 4 + steps; // and the block behind the loop; a load a step

// A miss may find its bank busy with the write-back of a line that the test's own variables dirtied.
auto about(std::uint64_t cycles) { return testing::AllOf(testing::Ge(cycles), testing::Le(cycles + 10)); }

static std::uint64_t hit, l2_hit, l2_one_bank, dram, after_discard;

void measure() {
    link* small = ring(32, 1); // 2 KiB: in the private cache
    chase(small, 32);
    hit = chase(small, steps);

    link* medium = ring(1024, 1); // 64 KiB: in the shared one
    chase(medium, 1024);
    l2_hit = chase(medium, steps) - hit;

    link* one_bank = ring(512, 2);
    chase(one_bank, 512);
    l2_one_bank = chase(one_bank, steps) - hit;

    link* large = ring(32768, 1); // 2 MiB: twice the shared one
    chase(large, 32768);
    dram = chase(large, steps) - hit;

    chase(small, 32);
    discard_all();
    const std::uint64_t again = chase(small, 32);
    after_discard = again - chase(small, 32);
}

TEST(latency, pointer_chases) {
    for (const stale_mode mode : {stale_mode::off, stale_mode::report, stale_mode::emulate}) {
        const statistics result = simulate(measure, {.stale = mode});
        EXPECT_EQ(hit, loop); // a block's four instructions and the load, a cycle each
        EXPECT_THAT(l2_hit, about(500 * two_misses));
        EXPECT_THAT(l2_one_bank, testing::AnyOf(about(1000 * trip(2)), about(1000 * trip(3))));
        EXPECT_THAT(dram, about(500 * (two_misses + 2 * dram_cycles)));
        EXPECT_THAT(after_discard, about(16 * two_misses));
        EXPECT_EQ(result.total.stale_reads, 0U);
        EXPECT_EQ(result.foreign_pages, 0U);
    }
}

TEST(latency, pointer_chases_with_coherent_caches) {
    simulate(measure, {}, mesi());
    EXPECT_EQ(hit, loop);
    EXPECT_THAT(l2_hit, about(500 * two_misses));
    EXPECT_THAT(dram, about(500 * (two_misses + 2 * dram_cycles)));
    EXPECT_EQ(after_discard, 0U); // nothing to discard
}

static std::uint64_t publish_nothing, publish_one, publish_all_lines, discard_cost, atomic_cost, pause_cost;

void measure_operations() {
    alignas(64) static char bytes[4096];
    static std::uint32_t word;
    const auto set = [](unsigned i) { *static_cast<volatile char*>(&bytes[i]) = 1; };
    publish_all();
    const auto cost = [](auto f) {
        const std::uint64_t begin = now();
        f();
        return now() - begin;
    };
    publish_nothing = cost([] { publish_all(); });
    set(0);
    publish_one = cost([] { publish_all(); });
    for (unsigned i = 0; i < 4096; i += 64) {
        set(i);
    }
    publish_all_lines = cost([] { publish_all(); });
    discard_cost = cost([] { discard_all(); });
    __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    atomic_cost = cost([] { __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED); });
    pause_cost = cost([] { pause(123); });
}

TEST(latency, publish_discard_atomic_pause) {
    const statistics result = simulate(measure_operations);
    const std::uint64_t calls = pause_cost - 123; // the blocks between two readings of the clock
    EXPECT_LE(calls, 2 * 4U);
    EXPECT_EQ(publish_nothing, calls + 1);
    // The cycle of the instruction, then each line's trip to bank 0 or 1, its bytes behind a head, and back: one line
    // a cycle.
    constexpr std::uint64_t nearest = 2 * 2 * hop + l2_cycles;
    constexpr std::uint64_t farthest = 2 * 3 * hop + l2_cycles;
    EXPECT_GE(publish_one, calls + 1 + nearest + flit);
    EXPECT_LE(publish_one, calls + 1 + farthest + 2 * flit + 2); // also the line of the figures kept here
    EXPECT_GE(publish_all_lines, calls + 64 + nearest + flit);
    EXPECT_LE(publish_all_lines, calls + 66 + farthest + 2 * flit);
    EXPECT_EQ(discard_cost, calls + 1);
    // An atomic instruction is no call, so there may be a block less between the readings.
    const std::uint64_t there = atomic_cost - 1 - 2 * flit;
    EXPECT_THAT(there, testing::AnyOf(calls + nearest, calls + farthest, calls - 4 + nearest, calls - 4 + farthest))
        << calls;
    EXPECT_GE(result.total.lines_published, 65U);
}

// A write that goes through: a cycle, while there is room in the buffer; a publish waits for all. No copy is made by
// one.
static std::uint64_t through_few, through_many, published, loaded, loaded_again;

void measure_writes_through() {
    alignas(64) static char bytes[64 * 64];
    const auto set = [](unsigned from, unsigned to) {
        for (unsigned i = from; i < to; ++i) {
            *static_cast<volatile char*>(&bytes[i * 64]) = 1;
        }
    };
    const auto cost = [](auto f) {
        const std::uint64_t begin = now();
        f();
        return now() - begin;
    };
    const auto load = [] { static_cast<void>(*static_cast<volatile char*>(&bytes[0])); };
    publish_all();
    discard_all();
    through_few = cost([&] { set(0, 8); });
    published = cost([] { publish_all(); });
    through_many = cost([&] { set(0, 64); });
    publish_all();
    loaded = cost(load);
    set(0, 1);
    loaded_again = cost(load);
}

TEST(latency, writes_that_go_through) {
    const statistics result = simulate(measure_writes_through, {}, gwt());
    constexpr std::uint64_t nearest = 2 * 2 * hop + l2_cycles;
    constexpr std::uint64_t farthest = 2 * 3 * hop + l2_cycles;
    EXPECT_LE(through_few, 12 * 8U); // blocks and stores, and nothing that waits
    EXPECT_GE(published, nearest - 8);
    EXPECT_LE(published, farthest + 20);
    EXPECT_GE(through_many, 56 / 8 * nearest); // 8 are on their way at a time
    EXPECT_GE(loaded, trip(2));
    EXPECT_LE(loaded_again, 8U); // the copy was brought up to date
    EXPECT_GE(result.total.store_misses, 72U);
    EXPECT_EQ(result.total.lines_published, 0U);
    EXPECT_EQ(result.foreign_pages, 0U);
}

} // namespace
