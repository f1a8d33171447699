// SPDX-License-Identifier: Apache-2.0

// What figures are of when a program has a region of interest.

#include <cstdint>
#include <stdexcept>

#include <gmock/gmock.h>

#include "machines.hpp"

namespace {

using namespace skerry_sim;
using namespace skerry_test;

constexpr unsigned lines = 32;
struct alignas(64) line {
    std::uint64_t word = 0;
};
static line memory[lines];
static std::uint64_t sum;

[[gnu::noinline]] void read_all() {
    std::uint64_t all = 0;
    for (const line& l : memory) {
        all += l.word;
    }
    sum = all;
}
[[gnu::noinline]] void write_all() {
    for (line& l : memory) {
        ++l.word;
    }
}

void with_region() {
    write_all();
    read_all();
    begin_interest();
    read_all();
    end_interest();
    read_all();
}

TEST(interest, only_the_region_counts_and_caches_are_cold_then) {
    for (const auto& on : {gwb(), gwt(), mesi()}) {
        for (const stale_mode mode : {stale_mode::off, stale_mode::emulate}) {
            const statistics before = simulate(with_region, {.stale = mode}, on);
            EXPECT_EQ(sum, lines * memory[0].word);
            EXPECT_EQ(before.total.loads, lines);
            EXPECT_EQ(before.total.stores, 1U);
            EXPECT_GE(before.total.load_misses, lines);
            EXPECT_LE(before.l2_misses, before.total.load_misses + before.total.store_misses);
            EXPECT_GE(before.l2_misses, lines);
            EXPECT_EQ(before.foreign_pages, 0U);
            // What came before it is forgotten, or was not simulated at all: the figures are the same.
            const statistics only = simulate(with_region, {.stale = mode, .only_interest = true}, on);
            EXPECT_EQ(only.total.cycles, before.total.cycles);
            EXPECT_EQ(only.total.instructions, before.total.instructions);
            EXPECT_EQ(only.total.load_misses, before.total.load_misses);
            EXPECT_GT(only.total.cycles, 32 * 60U); // each line comes from DRAM
            EXPECT_LT(only.total.cycles, 32 * 200U);
        }
    }
}

TEST(interest, without_a_region_all_counts) {
    const statistics all = simulate([] { read_all(); });
    EXPECT_GE(all.total.loads, lines);
    EXPECT_GT(all.total.cycles, 0U);
    // Whoever says that there is one, and there is none, gets nothing.
    const statistics none = simulate([] { read_all(); }, {.only_interest = true});
    EXPECT_EQ(none.total.loads, 0U);
    EXPECT_EQ(none.total.load_misses, 0U);
}

TEST(interest, regions_nest_and_are_added_up) {
    const auto one = simulate([] {
        begin_interest();
        read_all();
        end_interest();
    });
    const auto nested = simulate([] {
        begin_interest();
        begin_interest();
        read_all();
        end_interest();
        end_interest();
    });
    EXPECT_EQ(nested.total.loads, one.total.loads);
    const auto two = simulate([] {
        for (unsigned i = 0; i < 2; ++i) {
            begin_interest();
            read_all();
            end_interest();
            write_all();
        }
    });
    EXPECT_EQ(two.total.loads, 2 * one.total.loads);
    EXPECT_EQ(two.total.load_misses, 2 * one.total.load_misses);
    EXPECT_GE(two.total.cycles, 2 * one.total.cycles - 100);
    EXPECT_LE(two.total.cycles, 2 * one.total.cycles + 100);
}

TEST(interest, an_exception_in_a_region_leaves_what_it_has_come_to) {
    simulation machine(gwb(), {.only_interest = true});
    EXPECT_THROW(machine.run(
                     [](void*) {
                         begin_interest();
                         read_all();
                         throw std::runtime_error("in the region");
                     },
                     nullptr),
                 std::runtime_error);
    EXPECT_GE(machine.last().total.loads, lines);
    EXPECT_GT(machine.last().total.cycles, 0U);
}

// ---- Several cores.

static std::uint32_t turn;
void wait_for(std::uint32_t mine) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) {
        pause(20);
    }
}
void pass(std::uint32_t next) { __atomic_store_n(&turn, next, __ATOMIC_RELEASE); }

static line shared;
[[gnu::noinline]] std::uint64_t read_shared() { return shared.word; }
[[gnu::noinline]] void write_shared(std::uint64_t value) { shared.word = value; }
static std::uint64_t seen[3];

// The other core reads, this one writes, the other reads again and nobody publishes: outside, inside, outside.
void write_and_read() {
    turn = 0;
    shared.word = 0;
    const unsigned other = start_thread(
        [](void*) {
            for (std::uint32_t i = 0; i < 3; ++i) {
                wait_for(4 * i + 1);
                static_cast<void>(read_shared());
                pass(4 * i + 2);
                wait_for(4 * i + 3);
                seen[i] = read_shared();
                pass(4 * i + 4);
            }
        },
        nullptr);
    for (std::uint32_t i = 0; i < 3; ++i) {
        if (i == 1) {
            begin_interest();
        }
        pass(4 * i + 1);
        wait_for(4 * i + 2);
        write_shared(i + 1);
        pass(4 * i + 3);
        wait_for(4 * i + 4);
        if (i == 1) {
            end_interest();
        }
    }
    join_thread(other);
}

TEST(interest, outside_every_read_sees_the_latest_value) {
    const statistics result = simulate(write_and_read, {.stale = stale_mode::emulate, .only_interest = true});
    EXPECT_EQ(seen[0], 1U);
    EXPECT_EQ(seen[1], 1U); // old
    EXPECT_EQ(seen[2], 3U);
    EXPECT_EQ(result.total.stale_reads, 1U);
    EXPECT_EQ(shared.word, 3U);
    simulate(write_and_read, {.stale = stale_mode::emulate});
    EXPECT_EQ(seen[0], 0U); // nobody knows of the region yet
    EXPECT_EQ(seen[1], 1U);
    EXPECT_EQ(seen[2], 3U);
}

TEST(interest, an_end_without_a_begin_is_a_panic) {
    EXPECT_DEATH(simulate([] { end_interest(); }), "end_interest\\(\\) without a begin on core 0");
}

} // namespace
