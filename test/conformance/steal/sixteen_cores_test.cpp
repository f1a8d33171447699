// SPDX-License-Identifier: Apache-2.0

// Sixteen simulated cores with coherent caches: what many thieves do to short regions and to longer ones, and how cores
// of two speeds share. All time is the simulated machine's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <gtest/gtest.h>

#include <skerry/parallel_for.hpp>

#include "simulated.hpp"

namespace skerry_test {

namespace {

// --- short regions and longer ones ----------------------------------------------------------------------------------

skerry_sim::machine_description sixteen_cores() {
    skerry_sim::machine_description sixteen = with_large_caches("tiny4-mesi.toml");
    sixteen.cores.count = 16;
    sixteen.cores.columns = 4;
    sixteen.fabric.reset();
    return sixteen;
}

constexpr unsigned regions_in_a_row = 200;
// Tasks that thieves have taken: counts of a simulated machine, which are the same in every run of a build.
std::uint64_t taken_of_long_regions = 0;
std::uint64_t taken_in_first_row = 0;
std::uint64_t taken_in_second_row = 0;

void loop_of(std::size_t iterations) {
    skerry::parallel_for(std::size_t{0}, iterations, [](std::size_t) {}, skerry::grain::fixed(1));
}

// Fifteen thieves would make of each short region a long one, which the next of them would find worth asking: with a
// microsecond of youth for any number of workers they take 550 tasks in each row. Those who have worked may search for
// 300 us before they count as idle, which is less than the first row lasts.
TEST(short_regions, are_left_alone_again_after_long_ones) {
    skerry_sim::simulation simulation(sixteen_cores());
    static_cast<void>(simulation.run(
        [](void*) {
            skerry::runtime rt(all_cores(skerry::steal_mode::asymmetric));
            for (unsigned i = 0; i < 10; ++i) {
                rt.run([] { loop_of(20'000); });
            }
            taken_of_long_regions = rt.stats().steals_granted;
            for (unsigned i = 0; i < 2 * regions_in_a_row; ++i) {
                if (i == regions_in_a_row) {
                    taken_in_first_row = rt.stats().steals_granted - taken_of_long_regions;
                }
                rt.run([] { loop_of(30); });
            }
            taken_in_second_row = rt.stats().steals_granted - taken_in_first_row - taken_of_long_regions;
        },
        nullptr));
    std::printf("%llu tasks of long regions, %llu and %llu in two rows of %u short ones\n",
                static_cast<unsigned long long>(taken_of_long_regions),
                static_cast<unsigned long long>(taken_in_first_row),
                static_cast<unsigned long long>(taken_in_second_row), regions_in_a_row);
    EXPECT_GT(taken_of_long_regions, 100U)
        << "thieves that take nothing of long ones leave short ones alone for nothing";
    EXPECT_LT(taken_in_first_row, 2 * regions_in_a_row);
    EXPECT_LT(taken_in_second_row, regions_in_a_row / 20);
}

// Regions that follow each other while thieves look for work. Of the second rows they take 2,000 tasks if they do not
// look whether the region is another one than before.
std::uint64_t taken_in_storm = 0;
std::uint64_t forced_in_storm = 0;

TEST(short_regions, that_thieves_have_found_are_left_alone_again) {
    skerry_sim::simulation simulation(sixteen_cores());
    static_cast<void>(simulation.run(
        [](void*) {
            skerry::runtime rt(all_cores(skerry::steal_mode::asymmetric));
            for (const std::size_t iterations : {60U, 80U, 100U, 120U}) {
                for (unsigned i = 0; i < 5; ++i) {
                    rt.run([] {
                        skerry::parallel_for(std::size_t{0}, std::size_t{2'000},
                                             [](std::size_t) { skerry_sim::pause(1'000); });
                    });
                }
                skerry::statistics before;
                for (unsigned i = 0; i < 2 * regions_in_a_row; ++i) {
                    if (i == regions_in_a_row) {
                        before = rt.stats();
                    }
                    rt.run([&] { loop_of(iterations); });
                }
                taken_in_storm += rt.stats().steals_granted - before.steals_granted;
                forced_in_storm += rt.stats().steals_asymmetric - before.steals_asymmetric;
            }
        },
        nullptr));
    std::printf("%llu tasks in four rows of %u regions, %llu by force\n",
                static_cast<unsigned long long>(taken_in_storm), regions_in_a_row,
                static_cast<unsigned long long>(forced_in_storm));
    EXPECT_LT(taken_in_storm, 500U);
    EXPECT_LT(forced_in_storm, 50U);
}

// Loops of 250 us of work, 5 us apart. They take 63 to 66 us each where thieves wait before every steal as long as
// before the first in a short region, 45 to 47 where who has worked asks at once.
std::uint64_t cycles_of_longer_loops = 0;

TEST(longer_loops, are_shared_at_once_by_who_has_worked) {
    constexpr unsigned loops = 20;
    skerry_sim::simulation simulation(sixteen_cores());
    static_cast<void>(simulation.run(
        [](void*) {
            skerry::runtime rt(all_cores(skerry::steal_mode::asymmetric));
            rt.run([] {
                for (unsigned i = 0; i < 2 * loops; ++i) {
                    if (i == loops) {
                        cycles_of_longer_loops = skerry_sim::now();
                    }
                    skerry::parallel_for(std::size_t{0}, std::size_t{500}, [](std::size_t) { skerry_sim::pause(500); });
                    skerry_sim::pause(5000);
                }
            });
            cycles_of_longer_loops = skerry_sim::now() - cycles_of_longer_loops;
        },
        nullptr));
    std::printf("%llu cycles a loop\n", static_cast<unsigned long long>(cycles_of_longer_loops / loops));
    EXPECT_LT(cycles_of_longer_loops / loops, 55'000U);
}

// --- cores of two speeds --------------------------------------------------------------------------------------------

// Four cores that take 1,000 cycles for an iteration, and twelve that take 3,000. With shares by speed a loop would
// last 125 cycles an iteration, with equal ones 187. One loop takes 1.2 to 1.4 times the former, by chance; so there
// are some.
constexpr unsigned fast_cores = 4;
constexpr std::uint64_t fast_cycles = 1'000;
constexpr std::uint64_t slow_cycles = 3'000;
constexpr std::uint64_t cycles_by_speed = 125;

struct alignas(64) share {
    std::size_t iterations = 0;
};
std::array<share, 16> shares{};
std::size_t iterations_of_a_loop = 0;
std::uint64_t cycles_of_both_speeds = 0;

TEST(hybrid_cores, get_work_by_their_speed) {
    std::size_t iterations_of_all = 0;
    shares = {};
    cycles_of_both_speeds = 0;
    for (iterations_of_a_loop = 3'600; iterations_of_a_loop <= 4'400; iterations_of_a_loop += 80) {
        iterations_of_all += iterations_of_a_loop;
        skerry_sim::simulation simulation(sixteen_cores());
        static_cast<void>(simulation.run(
            [](void*) {
                skerry::runtime rt(all_cores(skerry::steal_mode::asymmetric));
                rt.run([] {
                    const std::uint64_t began = skerry_sim::now();
                    skerry::parallel_for(std::size_t{0}, iterations_of_a_loop, [](std::size_t) {
                        const unsigned core = skerry_sim::self();
                        ++shares[core].iterations;
                        skerry_sim::pause(core < fast_cores ? fast_cycles : slow_cycles);
                    });
                    cycles_of_both_speeds += skerry_sim::now() - began;
                });
            },
            nullptr));
    }
    std::size_t by_fast = 0;
    std::size_t by_slow = 0;
    for (unsigned core = 0; core < shares.size(); ++core) {
        (core < fast_cores ? by_fast : by_slow) += shares[core].iterations;
    }
    const double of_best =
        static_cast<double>(cycles_of_both_speeds) / static_cast<double>(cycles_by_speed * iterations_of_all);
    std::printf("%.3f times as long as with shares by speed; %zu iterations by a fast core, %zu by a slow one\n",
                of_best, by_fast / fast_cores, by_slow / (shares.size() - fast_cores));
    EXPECT_EQ(by_fast + by_slow, iterations_of_all);
    EXPECT_GT(by_fast / fast_cores, 2 * by_slow / (shares.size() - fast_cores));
    EXPECT_LT(of_best, 1.38);
}

} // namespace

} // namespace skerry_test
