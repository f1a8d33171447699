// SPDX-License-Identifier: Apache-2.0

// Loops over kernels on workers and emulated devices, which have a memory of their own.

#include "on_devices.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/serial.hpp>

namespace {

using skerry::each;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::parallel_for;
using skerry::place;
using skerry_test::device_iterations;
using skerry_test::on_devices;

SKERRY_KERNEL(twice, (const int* x, int* y), { y[i] = 2 * x[i]; })
SKERRY_KERNEL(add_to, (const float* x, float* y, float a), { y[i] = a * x[i] + y[i]; })
SKERRY_KERNEL(throws_at, (const int* bad, int* done), {
    if (bad[i] != 0) throw i;
    done[i] = 1;
})
SKERRY_KERNEL(rows, (const int* m, int* sums, int32_t columns), {
    int sum = 0;
    for (int k = 0; k < columns; ++k) sum += m[i * columns + k];
    sums[i] = sum;
})
SKERRY_KERNEL(scatter, (int* y, int32_t count), { y[(i * 7) % count] = (int)i; })
SKERRY_KERNEL(touch_rows, (int* m, int32_t pitch, int32_t columns), {
    for (int k = 0; k < columns; ++k) m[i * pitch + k] += 1;
})

void loop_inside(int* y, long i) {
    std::vector<int> x{static_cast<int>(i)};
    std::vector<int> twofold(1);
    parallel_for(place::device, 0, 1, twice, in(each(x)), out(each(twofold)));
    y[i] = twofold[0];
}
SKERRY_KERNEL(nested, (int* y), { loop_inside(y, i); })

std::vector<int> numbers(std::size_t n) {
    std::vector<int> x(n);
    std::iota(x.begin(), x.end(), 1);
    return x;
}

class Loop : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, Loop, testing::Values(1U, 2U, 5U));

TEST_P(Loop, BothSidesTakePart) {
    on_devices("emulated", GetParam(), [] {
        const std::vector<int> x = numbers(100'000);
        std::vector<int> y(x.size());
        parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(y)));
        EXPECT_EQ(device_iterations(), x.size());
        EXPECT_EQ(skerry::current_statistics().kernel_iterations, 0U);
        std::vector<int> z(x.size());
        parallel_for(0, x.size(), twice, in(each(x)), out(each(z)));
        EXPECT_GT(device_iterations(), x.size()); // nothing is known of the device: it gets a first chunk
        EXPECT_GT(skerry::current_statistics().kernel_iterations, 0U);
        EXPECT_EQ(device_iterations() + skerry::current_statistics().kernel_iterations, 2 * x.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            ASSERT_EQ(y[k], 2 * x[k]) << k;
            ASSERT_EQ(z[k], 2 * x[k]) << k;
        }
        const skerry::device_statistics d = skerry::current_devices().front();
        EXPECT_EQ(d.bytes_in, d.iterations * sizeof(int));
        EXPECT_EQ(d.bytes_out, d.iterations * sizeof(int));
        EXPECT_EQ(d.failures, 0U);
    });
}

TEST_P(Loop, OnTheProcessorNothingIsLookedFor) {
    on_devices("opencl77", GetParam(), [] { // which would be an error of a loop on a device
        const std::vector<int> x = numbers(1000);
        std::vector<int> y(x.size());
        parallel_for(place::cpu, 0, x.size(), twice, in(each(x)), out(each(y)), skerry::grain::fixed(10));
        EXPECT_EQ(y[999], 2000);
        EXPECT_EQ(skerry::current_statistics().kernel_iterations, 1000U);
    });
}

TEST_P(Loop, ManyLoopsOfTasksShareADevice) {
    on_devices("emulated,emulated:speed=0.5", GetParam(), [] {
        constexpr std::size_t loops = 24;
        constexpr std::size_t n = 2000;
        const std::vector<int> x = numbers(n);
        std::vector<std::vector<int>> y(loops, std::vector<int>(n));
        skerry::finish([&](auto& scope) {
            for (std::size_t k = 0; k < loops; ++k) {
                scope.async([&, k] {
                    parallel_for(k % 3 == 0   ? place::any
                                 : k % 3 == 1 ? place::device
                                              : place::cpu,
                                 0, n, twice, in(each(x)), out(each(y[k])));
                });
            }
        });
        parallel_for(0, 4, [&](int) {
            std::vector<int> z(n);
            parallel_for(place::device, 0, n, twice, in(each(x)), out(each(z)));
            EXPECT_EQ(z[n - 1], static_cast<int>(2 * n));
        });
        for (const std::vector<int>& one : y) {
            ASSERT_EQ(one[0], 2);
            ASSERT_EQ(one[n - 1], static_cast<int>(2 * n));
        }
    });
}

TEST_P(Loop, InsideABodyTheDeviceIsNotWaitedFor) {
    on_devices("emulated", GetParam(), [] {
        std::vector<int> y(200);
        parallel_for(place::device, 0, y.size(), nested, out(each(y)));
        parallel_for(0, y.size(), nested, out(each(y)));
        for (std::size_t k = 0; k < y.size(); ++k) {
            ASSERT_EQ(y[k], static_cast<int>(2 * k));
        }
    });
}

TEST_P(Loop, TheLeftmostExceptionArrives) {
    on_devices("emulated", GetParam(), [] {
        constexpr long n = 20'000;
        std::vector<int> bad(n);
        std::vector<int> done(n);
        const auto thrown = [&](place where) -> long {
            try {
                parallel_for(where, 0, n, throws_at, in(each(bad)), out(each(done)));
            } catch (long at) {
                return at;
            }
            return -1;
        };
        EXPECT_EQ(thrown(place::device), -1);
        bad[7] = bad[n - 1] = 1;
        EXPECT_EQ(thrown(place::device), 7);
        for (int round = 0; round < 20; ++round) {
            EXPECT_EQ(thrown(place::any), 7);
            EXPECT_EQ(thrown(place::cpu), 7);
        }
        bad[7] = 0; // on the device's side, unless it gets nothing
        for (int round = 0; round < 20; ++round) {
            EXPECT_EQ(thrown(place::any), n - 1);
        }
        bad[n - 1] = 0; // and it works on
        std::ranges::fill(done, 0);
        EXPECT_EQ(thrown(place::any), -1);
        EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0L), n);
    });
}

TEST_P(Loop, WhatCannotBeSplitRunsOnOneSide) {
    on_devices("emulated", GetParam(), [] {
        constexpr int n = 5000;
        std::vector<int> y(n, -1);
        std::vector<int> z(n, -1);
        skerry::serial::parallel_for(0, n, scatter, inout(y), n);
        parallel_for(place::device, 0, n, scatter, inout(z), n);
        EXPECT_EQ(y, z);
        const std::uint64_t before = device_iterations();
        std::ranges::fill(z, -1);
        parallel_for(0, n, scatter, inout(z), n); // any element is written
        EXPECT_EQ(y, z);
        EXPECT_EQ(device_iterations(), before);
        std::ranges::fill(z, -1);
        parallel_for(place::device, 0, 10, scatter, out(z), n); // elements that no iteration writes stay
        EXPECT_EQ(z[7], 1);
        EXPECT_EQ(z[1], -1);
        parallel_for(0, n - 1, twice, in(each(std::span(y).subspan(1))), out(each(std::span(y).first(n - 1))),
                     skerry::grain::fixed(n)); // one array that moves over itself
        EXPECT_EQ(device_iterations(), before + 10);
    });
}

TEST_P(Loop, TheSameEachReadsAndWrites) {
    on_devices("emulated", GetParam(), [] {
        std::vector<int> x = numbers(10'000);
        parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(x)));
        const std::uint64_t before = device_iterations();
        parallel_for(0, x.size(), twice, in(each(x)), out(each(x)));
        EXPECT_GT(device_iterations(), before);
        for (std::size_t k = 0; k < x.size(); ++k) {
            ASSERT_EQ(x[k], static_cast<int>(4 * (k + 1)));
        }
    });
}

TEST_P(Loop, PartsKeepTheirPitch) {
    on_devices("emulated", GetParam(), [] {
        std::vector<int> m(100 * 100);
        const auto parts = skerry::partition(m, {100, 100}, {20, 30});
        parallel_for(place::device, 0, 20, touch_rows, inout(parts(1, 2)), 100, 30);
        for (std::size_t r = 0; r < 100; ++r) {
            for (std::size_t c = 0; c < 100; ++c) {
                ASSERT_EQ(m[r * 100 + c], r >= 20 && r < 40 && c >= 60 && c < 90 ? 1 : 0) << r << ' ' << c;
            }
        }
        // The gaps between the rows are not sent.
        EXPECT_EQ(skerry::current_devices().front().bytes_in, 20 * 30 * sizeof(int));
    });
}

TEST_P(Loop, StridesAndWholeArrays) {
    on_devices("emulated", GetParam(), [] {
        constexpr int columns = 13;
        const std::vector<int> m = numbers(3000 * columns);
        std::vector<int> expected(3000);
        skerry::serial::parallel_for(0, 3000, rows, in(m), out(each(expected)), columns);
        std::vector<int> sums(3000);
        for (const place where : {place::device, place::any, place::any, place::cpu}) {
            std::ranges::fill(sums, 0);
            parallel_for(where, 0, 3000, rows, in(each(m, columns)), out(each(sums)), columns);
            EXPECT_EQ(sums, expected);
            std::ranges::fill(sums, 0);
            parallel_for(where, 0, 3000, rows, in(m), out(each(sums)), columns);
            EXPECT_EQ(sums, expected);
        }
    });
}

TEST_P(Loop, NoIterations) {
    on_devices("emulated", GetParam(), [] {
        const std::span<int> none;
        parallel_for(place::device, 0, 0, twice, in(each(none)), out(each(none)));
        parallel_for(5, -5, twice, in(none), out(each(none)));
        parallel_for(0U, 0UL, twice, in(each(none)), out(each(none)));
        EXPECT_EQ(device_iterations(), 0U);
    });
}

TEST_P(Loop, TooLittleMemoryOnTheDevice) {
    on_devices("emulated:memory=4K", GetParam(), [] {
        const std::vector<int> x = numbers(10'000);
        std::vector<int> y(x.size());
        parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(y)));
        for (std::size_t k = 0; k < x.size(); ++k) {
            ASSERT_EQ(y[k], 2 * x[k]);
        }
        EXPECT_EQ(skerry::current_devices().front().failures, 1U);
        EXPECT_EQ(device_iterations(), 0U);
        parallel_for(place::device, 0, 100, twice, in(each(std::span(x).first(100))),
                     out(each(std::span(y).first(100))));
        EXPECT_EQ(device_iterations(), 100U);
    });
}

TEST(Kernel, WithoutDevicesTheSameLoopRunsOnWorkers) {
    on_devices("none", 2, [] {
        const std::vector<int> x = numbers(1000);
        std::vector<int> y(x.size());
        parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(y)));
        EXPECT_EQ(y[999], 2000);
        EXPECT_TRUE(skerry::current_devices().empty());
    });
}

TEST(Kernel, TwoRuntimesHaveDevicesOfTheirOwn) {
    const auto use = [] {
        on_devices("emulated:latency=100us", 2, [] {
            const std::vector<int> x = numbers(3000);
            std::vector<int> y(x.size());
            for (int round = 0; round < 5; ++round) {
                parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(y)));
                EXPECT_EQ(y[2999], 6000);
            }
            EXPECT_EQ(device_iterations(), 5 * x.size());
        });
    };
    std::thread other(use);
    use();
    other.join();
}

TEST(Kernel, AThreadWithoutARuntimeOfItsOwn) {
    std::vector<int> y(1000);
    const std::vector<int> x = numbers(y.size());
    parallel_for(0, x.size(), twice, in(each(x)), out(each(y)));
    EXPECT_EQ(y[999], 2000);
}

TEST(Kernel, InACancelledGroupNothingRuns) {
    on_devices("emulated", 2, [] {
        skerry::task_group g;
        std::vector<int> y(10, 5);
        const std::vector<int> x = numbers(y.size());
        g.cancel();
        g.run([&] { parallel_for(place::device, 0, x.size(), twice, in(each(x)), out(each(y))); });
        g.wait();
        EXPECT_EQ(y[0], 5);
    });
}

TEST(Kernel, SpawnTakesEachAsTheSpan) {
    on_devices("none", 2, [] {
        std::vector<int> x = numbers(10);
        skerry::spawn([](std::span<int> all) { all[0] = static_cast<int>(all.size()); }, inout(each(x)));
        skerry::taskwait();
        EXPECT_EQ(x[0], 10);
    });
}

TEST(Kernel, FloatsAreEqualToTheElision) {
    on_devices("emulated", 2, [] {
        std::vector<float> x(30'000);
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] = 1.0F / static_cast<float>(k + 3);
        }
        std::vector<float> y = x;
        std::vector<float> expected = x;
        for (int round = 0; round < 4; ++round) {
            skerry::serial::parallel_for(0, x.size(), add_to, in(each(x)), inout(each(expected)), 0.3F);
            parallel_for(round == 0 ? place::device : place::any, 0, x.size(), add_to, in(each(x)), inout(each(y)),
                         0.3F);
        }
        EXPECT_EQ(y, expected);
    });
}

} // namespace
