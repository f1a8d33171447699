// SPDX-License-Identifier: Apache-2.0

// Loops that follow each other on workers, on a device and on both, over ranges that overlap, against the elision. The
// device's memory is its own, and what was not sent to it is not there.

#include "on_devices.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <skerry/serial.hpp>

namespace {

SKERRY_KERNEL(mix, (const uint32_t* x, uint32_t* y, uint32_t by), { y[i] = y[i] * by + x[i]; })
SKERRY_KERNEL(smooth, (const float* x, float* y), { y[i] = 0.25F * x[i] + 0.5F * y[i]; })
SKERRY_KERNEL(neighbours, (const uint32_t* x, uint32_t* y, int64_t count), {
    uint32_t sum = x[i];
    if (i > 0) sum += x[i - 1];
    if (i + 2 < count) sum += 3 * x[i + 2];
    y[i] = sum;
})
SKERRY_KERNEL(pairs, (const uint32_t* x, uint32_t* y), { y[i] = x[2 * i] ^ x[2 * i + 1]; })
SKERRY_KERNEL(table, (const uint32_t* x, uint32_t* y, uint32_t count), { y[i] += x[(y[i] >> 3) % count]; })

struct arrays {
    static constexpr std::size_t n = 3000;
    std::vector<uint32_t> a = std::vector<uint32_t>(n, 1);
    std::vector<uint32_t> b = std::vector<uint32_t>(n, 2);
    std::vector<float> f = std::vector<float>(n, 0.3F);
    std::vector<float> g = std::vector<float>(n, 0.7F);

    friend bool operator==(const arrays&, const arrays&) = default;
};

// One loop, as the numbers say, by `run(kernel's loop)`.
template <class Loop>
void step(const Loop& loop, skerry::place where, arrays& all, std::array<std::size_t, 4> numbers) {
    using skerry::each;
    using skerry::in;
    using skerry::inout;
    using skerry::out;
    std::size_t first = numbers[1] % arrays::n;
    std::size_t last = numbers[2] % (arrays::n + 1);
    if (first > last) {
        std::swap(first, last);
    }
    std::vector<uint32_t>& x = numbers[3] % 2 == 0 ? all.a : all.b;
    std::vector<uint32_t>& y = numbers[3] % 2 == 0 ? all.b : all.a;
    switch (numbers[0] % 7) {
    case 0: loop(where, first, last, mix, in(each(x)), inout(each(y)), static_cast<uint32_t>(numbers[3])); break;
    case 1: loop(where, first, last, smooth, in(each(all.f)), inout(each(all.g))); break;
    case 2: loop(where, first, last, smooth, in(each(all.g)), inout(each(all.f))); break;
    case 3: loop(where, first, last, neighbours, in(each(x, 1, 1, 2)), out(each(y)), arrays::n); break;
    case 4: loop(where, first / 2, last / 2, pairs, in(each(x, 2)), out(each(y))); break;
    case 5: loop(where, first, last, table, in(x), inout(each(y)), arrays::n); break;
    case 6: // parts of one array, which overlap for some numbers: then the loop is not split
        loop(where, 0, last / 3, mix, in(each(std::span(x))), inout(each(std::span(x).subspan(1 + first / 2))), 3U);
        break;
    default: break;
    }
}

void compare(const std::string& devices, unsigned workers, unsigned seed, int steps) {
    skerry_test::on_devices(devices, workers, [&] {
        arrays ours;
        arrays theirs;
        std::mt19937 source(seed);
        const auto wait = [](auto first, auto last, const auto& kernel, const auto&... arguments) {
            skerry::serial::parallel_for(first, last, kernel, arguments...);
        };
        for (int k = 0; k < steps; ++k) {
            const std::array<std::size_t, 4> numbers{source(), source(), source(), source()};
            // Overlapping parts read what other iterations write: in one order on one side only.
            const bool in_order = numbers[0] % 7 == 6;
            const auto where = in_order ? skerry::place::device : static_cast<skerry::place>(source() % 3);
            step(skerry::parallel_for, where, ours, numbers);
            step([&](skerry::place, auto... rest) { wait(rest...); }, where, theirs, numbers);
            ASSERT_EQ(ours, theirs) << "step " << k << " of seed " << seed;
        }
        EXPECT_GT(skerry_test::device_iterations(), 0U);
        EXPECT_GT(skerry::current_statistics().kernel_iterations, 0U);
    });
}

TEST(Alternating, OnWorkersAndADevice) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        compare("emulated", 1 + seed % 3, seed, 150);
    }
}

TEST(Alternating, OnWorkersAndTwoDevices) { compare("emulated:speed=0.5,emulated:latency=20us", 2, 99, 100); }

} // namespace
