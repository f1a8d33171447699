// SPDX-License-Identifier: Apache-2.0

// The contract of devices, on each back end: emulated, and each device that OpenCL has here. OpenCL's are skipped where
// there is none.

#include "base/port/clock.hpp"
#include "base/port/futex.hpp"
#include "fabric/device.hpp"
#include "fabric/emulated/emulated.hpp"
#include "fabric/opencl/opencl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/detail/base/port/watched.hpp>
#include <skerry/kernel.hpp>

namespace {

namespace fabric = skerry::fabric;
using fabric::direction;
using skerry::detail::kernel_code;

constexpr std::uint64_t ten_seconds = 10'000'000'000;

SKERRY_KERNEL(scale, (const int* x, int* y, int32_t by), { y[i] = by * x[i]; })
SKERRY_KERNEL(all_types,
              (const int8_t* a, const uint8_t* b, const int16_t* c, const uint16_t* d, const int32_t* e,
               const uint32_t* f, const int64_t* g, const uint64_t* h, const float* u, const double* v, double* out,
               int8_t k, uint16_t l, int64_t m, float w, double z),
              {
                  out[i] = (double)a[i] + (double)b[i] + (double)c[i] + (double)d[i] + (double)e[i] + (double)f[i] +
                           (double)g[i] + (double)h[i] + (double)u[i] + v[i] + (double)k + (double)l + (double)m +
                           (double)w + z;
              })
SKERRY_KERNEL(mathematics, (const float* x, float* y, double* z), {
    SKERRY_GLOBAL const float* row = x + i;
    if (row[0] < 0.5F) {
        y[i] = 0;
        return;
    }
    y[i] = sqrtf(row[0]) + fabsf(-row[0]) + fminf(row[0], 2.0F) + floorf(row[0]) + (float)abs(-3);
    z[i] = fabs((double)row[0]) + sqrt(4.0) + fmax(1.0, 2.0);
})
SKERRY_KERNEL(sums_of_products, (const float* x, const double* y, float* s, double* t), {
    s[i] = x[i] * x[i + 1] + x[i + 2];
    t[i] = y[i] * y[i + 1] + y[i + 2];
})
SKERRY_KERNEL(first_of, (const int* x, int* y), { y[i] = !x ? -1 : x[0]; })
SKERRY_KERNEL(no_parameters, (), {})
SKERRY_KERNEL(replaced, (int* y), { y[i] = 1; })
SKERRY_DEVICE_BODY(replaced, opencl, { y[i] = 2; })
SKERRY_KERNEL(refused, (int* y), { y[i] = 1; })
SKERRY_DEVICE_BODY(refused, opencl, { y[i] = no_such_name; })

template <class Code>
const kernel_code& code_of(skerry::kernel<Code> /*kernel*/) {
    return skerry::detail::kernel_form<Code, decltype(&Code::skerry_at)>::code;
}

struct back_end {
    std::string name;
    std::unique_ptr<fabric::device> (*make)(unsigned number);
    unsigned number;
};

std::vector<back_end> back_ends() {
    std::vector<back_end> all{
        {"emulated", [](unsigned) { return fabric::emulated::make({}); }, 0},
        {"emulated_slow", [](unsigned) { return fabric::emulated::make({0.5, std::size_t{64} << 20, 100'000}); }, 0}};
    // ThreadSanitizer does not see what a driver does.
    for (unsigned k = 0; !skerry::detail::accesses_are_watched && k < fabric::opencl::find().devices.size(); ++k) {
        all.push_back({"opencl" + std::to_string(k),
                       [](unsigned number) { return fabric::opencl::open(fabric::opencl::find().devices[number]); },
                       k});
    }
    return all;
}

class Device : public testing::TestWithParam<back_end> {
  protected:
    Device() : device(GetParam().make(GetParam().number)) {}

    fabric::device_completion back(std::uint64_t word) {
        for (;;) {
            if (auto done = device->completed()) {
                EXPECT_TRUE(done->arrived) << device->failure();
                EXPECT_EQ(done->done.word, word);
                EXPECT_EQ(done->done.context, this);
                return *std::move(done);
            }
            EXPECT_TRUE(device->wait(skerry::port::now_ns() + ten_seconds)) << "no token within ten seconds";
        }
    }
    template <class T, std::size_t N>
    fabric::device_memory sent(std::span<T, N> x) {
        const fabric::device_memory there = device->alloc(x.size_bytes());
        move(direction::push, x, there);
        return there;
    }
    template <class T, std::size_t N>
    void move(direction way, std::span<T, N> x, fabric::device_memory there, std::uint64_t offset = 0) {
        const fabric::device_extent e{const_cast<std::remove_const_t<T>*>(x.data()), there, offset, x.size_bytes()};
        device->copy(way, {&e, 1}, {this, ++token});
        static_cast<void>(back(token));
    }
    void run(const kernel_code& kernel, long first, long last, std::vector<fabric::device_argument> arguments) {
        device->build(kernel);
        device->launch(kernel, {first, last}, arguments, {this, ++token});
        static_cast<void>(back(token));
    }
    static fabric::device_argument at(fabric::device_memory memory, std::uint64_t offset = 0) {
        return {memory, offset, nullptr};
    }
    static fabric::device_argument of(const void* value) { return {{}, 0, value}; }

    std::unique_ptr<fabric::device> device;
    std::uint64_t token = 0;
};

INSTANTIATE_TEST_SUITE_P(BackEnds, Device, testing::ValuesIn(back_ends()),
                         [](const auto& param) { return param.param.name; });

TEST_P(Device, DescribesItself) {
    const fabric::device_description& d = device->describe();
    EXPECT_FALSE(d.kind.empty() || d.description.empty() || d.driver.empty());
    EXPECT_EQ(device->failure(), "");
}

TEST_P(Device, CopiesBytesThereAndBack) {
    std::vector<unsigned char> x(100'000);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = static_cast<unsigned char>(k * 7);
    }
    const fabric::device_memory there = sent(std::span(x));
    std::vector<unsigned char> y(x.size());
    move(direction::pull, std::span(y), there);
    EXPECT_EQ(x, y);
    std::vector<unsigned char> middle(1001);
    move(direction::pull, std::span(middle), there, 777); // of no alignment
    EXPECT_TRUE(std::ranges::equal(middle, std::span(x).subspan(777, 1001)));
    device->free(there);
}

TEST_P(Device, CopiesRowsAndLeavesTheGaps) {
    constexpr std::size_t pitch = 50;
    constexpr std::size_t rows = 9;
    constexpr std::size_t columns = 20;
    std::vector<int> x(pitch * rows);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> zeros(x.size());
    const fabric::device_memory there = sent(std::span(zeros));
    const fabric::device_extent e{
        x.data() + 3, there, 3 * sizeof(int), columns * sizeof(int), rows, pitch * sizeof(int), pitch * sizeof(int)};
    device->copy(direction::push, {&e, 1}, {this, ++token});
    static_cast<void>(back(token));
    std::vector<int> y(x.size());
    move(direction::pull, std::span(y), there);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const bool in_a_row = k % pitch >= 3 && k % pitch < 3 + columns;
        ASSERT_EQ(y[k], in_a_row ? x[k] : 0) << k;
    }
    std::vector<int> z(x.size(), -1); // and the same way home, to rows of another pitch
    const fabric::device_extent home{
        z.data(), there, 3 * sizeof(int), columns * sizeof(int), rows, columns * sizeof(int), pitch * sizeof(int)};
    device->copy(direction::pull, {&home, 1}, {this, ++token});
    static_cast<void>(back(token));
    for (std::size_t k = 0; k < rows * columns; ++k) {
        ASSERT_EQ(z[k], x[k / columns * pitch + 3 + k % columns]);
    }
    EXPECT_EQ(z[rows * columns], -1);
    device->free(there);
}

TEST_P(Device, RunsTheRangeAndNothingElse) {
    std::vector<int> x(1000);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> y(1000, -5);
    const fabric::device_memory at_x = sent(std::span(x));
    const fabric::device_memory at_y = sent(std::span(y));
    const std::int32_t by = 3;
    for (const auto& [first, last] : std::vector<std::pair<long, long>>{{0, 1}, {100, 163}, {300, 428}, {999, 1000}}) {
        run(code_of(scale), first, last, {at(at_x), at(at_y), of(&by)});
        for (long k = first; k < last; ++k) {
            y[static_cast<std::size_t>(k)] = static_cast<int>(3 * k);
        }
        std::vector<int> result(1000);
        move(direction::pull, std::span(result), at_y);
        ASSERT_EQ(result, y);
    }
    device->free(at_x);
    device->free(at_y);
}

TEST_P(Device, PointersLieBehindTheBeginning) {
    std::vector<int> all(300, 1);
    const fabric::device_memory there = sent(std::span(all));
    const std::int32_t by = 5;
    run(code_of(scale), 0, 100, {at(there), at(there, 200 * sizeof(int)), of(&by)});
    move(direction::pull, std::span(all), there);
    EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 200 + 500);
    EXPECT_EQ(all[200], 5);
    device->free(there);
}

TEST_P(Device, TakesAllTypes) {
    std::int8_t a[2] = {-1, -128};
    std::uint8_t b[2] = {255, 1};
    std::int16_t c[2] = {-300, 7};
    std::uint16_t d[2] = {60000, 2};
    std::int32_t e[2] = {-70000, 3};
    std::uint32_t f[2] = {4'000'000'000, 4};
    std::int64_t g[2] = {-5'000'000'000, 5};
    std::uint64_t h[2] = {std::uint64_t{1} << 40, 6};
    float u[2] = {0.5F, 1.5F};
    double v[2] = {0.25, 2.25};
    double result[2] = {0, 0};
    const std::int8_t k = -8;
    const std::uint16_t l = 65535;
    const std::int64_t m = -(std::int64_t{1} << 35);
    const float w = 0.125F;
    const double z = 1e9;
    const fabric::device_memory memories[] = {sent(std::span(a)), sent(std::span(b)),     sent(std::span(c)),
                                              sent(std::span(d)), sent(std::span(e)),     sent(std::span(f)),
                                              sent(std::span(g)), sent(std::span(h)),     sent(std::span(u)),
                                              sent(std::span(v)), sent(std::span(result))};
    std::vector<fabric::device_argument> arguments;
    for (const fabric::device_memory memory : memories) {
        arguments.push_back(at(memory));
    }
    for (const void* const value : std::initializer_list<const void*>{&k, &l, &m, &w, &z}) {
        arguments.push_back(of(value));
    }
    run(code_of(all_types), 0, 2, arguments);
    move(direction::pull, std::span(result), memories[10]);
    for (int i = 0; i < 2; ++i) {
        const double expected = static_cast<double>(a[i]) + b[i] + c[i] + d[i] + e[i] + f[i] +
                                static_cast<double>(g[i]) + static_cast<double>(h[i]) + u[i] + v[i] + k + l +
                                static_cast<double>(m) + w + z;
        EXPECT_EQ(result[i], expected) << i;
    }
}

TEST_P(Device, CallsMathematicsByTheNamesOfC) {
    std::vector<float> x{0.25F, 4.0F, 2.25F};
    std::vector<float> y(3, -1);
    std::vector<double> z(3, -1);
    const fabric::device_memory at_x = sent(std::span(x));
    const fabric::device_memory at_y = sent(std::span(y));
    const fabric::device_memory at_z = sent(std::span(z));
    run(code_of(mathematics), 0, 3, {at(at_x), at(at_y), at(at_z)});
    move(direction::pull, std::span(y), at_y);
    move(direction::pull, std::span(z), at_z);
    EXPECT_EQ(y, (std::vector<float>{0, 2 + 4 + 2 + 4 + 3, 1.5F + 2.25F + 2 + 2 + 3}));
    EXPECT_EQ(z, (std::vector<double>{-1, 4 + 2 + 2, 2.25 + 2 + 2}));
}

TEST_P(Device, RoundsAProductBeforeItIsAdded) {
    std::vector<float> x(4002);
    std::vector<double> y(4002);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x[k] = 1.0F / static_cast<float>(k + 3);
        y[k] = 1.0 / static_cast<double>(k + 3);
    }
    std::vector<float> s(4000);
    std::vector<double> t(4000);
    const fabric::device_memory at_s = sent(std::span(s));
    const fabric::device_memory at_t = sent(std::span(t));
    run(code_of(sums_of_products), 0, 4000, {at(sent(std::span(x))), at(sent(std::span(y))), at(at_s), at(at_t)});
    move(direction::pull, std::span(s), at_s);
    move(direction::pull, std::span(t), at_t);
    for (std::size_t k = 0; k < s.size(); ++k) {
        const volatile float product = x[k] * x[k + 1];
        const volatile double longer = y[k] * y[k + 1];
        ASSERT_EQ(s[k], product + x[k + 2]) << k;
        ASSERT_EQ(t[k], longer + y[k + 2]) << k;
    }
}

TEST_P(Device, APointerToNothing) {
    int y = 5;
    const fabric::device_memory there = sent(std::span(&y, 1));
    run(code_of(first_of), 0, 1, {at({}), at(there)});
    move(direction::pull, std::span(&y, 1), there);
    EXPECT_EQ(y, -1);
    run(code_of(no_parameters), 0, 1000, {});
}

TEST_P(Device, TokensComeBackInTheOrderOfTheCalls) {
    std::vector<int> x(1000, 1);
    const fabric::device_memory there = sent(std::span(x));
    device->build(code_of(scale));
    const std::int32_t by = 2;
    const fabric::device_argument arguments[] = {at(there), at(there), of(&by)};
    const fabric::device_extent e{x.data(), there, 0, x.size() * sizeof(int)};
    const std::uint64_t first = token + 1;
    for (int round = 0; round < 10; ++round) {
        device->launch(code_of(scale), {0, 1000}, arguments, {this, ++token});
    }
    device->copy(direction::pull, {&e, 1}, {this, ++token});
    for (std::uint64_t word = first; word <= token; ++word) {
        static_cast<void>(back(word));
    }
    EXPECT_FALSE(device->completed());
    EXPECT_EQ(x, std::vector<int>(1000, 1024));
}

TEST_P(Device, NoExtentsAndNoBytes) {
    device->copy(direction::push, {}, {this, ++token});
    static_cast<void>(back(token));
    const fabric::device_memory there = device->alloc(16);
    const fabric::device_extent nothing{nullptr, there, 16, 0};
    device->copy(direction::pull, {&nothing, 1}, {this, ++token});
    static_cast<void>(back(token));
    device->free(there);
}

TEST_P(Device, AKickEndsAWait) {
    EXPECT_FALSE(device->wait(skerry::port::now_ns() + 1'000'000));
    device->kick(); // one before counts
    EXPECT_TRUE(device->wait(skerry::port::forever));
    EXPECT_FALSE(device->wait(skerry::port::now_ns()));
    for (int round = 0; round < 200; ++round) {
        std::thread other([this] { device->kick(); });
        EXPECT_TRUE(device->wait(skerry::port::forever));
        other.join();
    }
}

TEST_P(Device, MemoryThatIsTooLarge) {
    EXPECT_THROW(static_cast<void>(device->alloc(std::size_t{1} << 46)), std::bad_alloc);
    const fabric::device_memory there = device->alloc(1000); // and the device works on
    device->free(there);
    EXPECT_EQ(device->failure(), "");
}

TEST_P(Device, SharedMemoryIsTheCallers) {
    alignas(64) std::int32_t x[500];
    if (!device->describe().shares_memory) {
        EXPECT_THAT([&] { static_cast<void>(device->share(x, sizeof x)); },
                    testing::ThrowsMessage<fabric::not_available>("skerry: the fabric '" + device->describe().kind +
                                                                  "' has no shared memory"));
        return;
    }
    std::iota(std::begin(x), std::end(x), 0);
    const fabric::device_memory there = device->share(x, sizeof x);
    move(direction::push, std::span(x), there);
    const std::int32_t by = 2;
    run(code_of(scale), 100, 200, {at(there), at(there), of(&by)});
    move(direction::pull, std::span(x).subspan(100, 100), there, 400);
    for (int k = 0; k < 500; ++k) {
        ASSERT_EQ(x[k], k >= 100 && k < 200 ? 2 * k : k);
    }
    device->free(there);
}

TEST_P(Device, AKernelThatTheCompilerRefuses) {
    if (device->describe().kind == "emulated") {
        device->build(code_of(refused)); // the host's compiler has taken its body
        return;
    }
    EXPECT_THAT([&] { device->build(code_of(refused)); },
                testing::ThrowsMessage<fabric::build_error>(testing::HasSubstr("no_such_name")));
    std::vector<int> y(10);
    const fabric::device_memory there = sent(std::span(y));
    run(code_of(replaced), 0, 10, {at(there)}); // it works on, with a body of its own
    move(direction::pull, std::span(y), there);
    EXPECT_EQ(y[9], 2);
}

TEST(Emulated, WhatWasNotSentIsNotThere) {
    const auto device = fabric::emulated::make({});
    const fabric::device_memory there = device->alloc(8);
    std::uint32_t x[2] = {0, 0};
    const fabric::device_extent e{x, there, 0, sizeof x};
    device->copy(direction::pull, {&e, 1}, {});
    while (!device->completed()) {
        EXPECT_TRUE(device->wait(skerry::port::forever));
    }
    EXPECT_EQ(x[0], 0xA5A5A5A5U);
    EXPECT_EQ(x[1], 0xA5A5A5A5U);
}

TEST(Emulated, WrongMemoryIsAPanic) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto device = fabric::emulated::make({});
    EXPECT_DEATH(device->free({7}), "fabric: there is no memory 7 on the device");
    const fabric::device_memory there = device->alloc(8);
    char x[16];
    const fabric::device_extent e{x, there, 0, sizeof x};
    EXPECT_DEATH(device->copy(direction::push, {&e, 1}, {}),
                 "fabric: 16 bytes from 0 are not in memory 1 of the device");
}

TEST(Emulated, HasAsMuchMemoryAsItSays) {
    const auto device = fabric::emulated::make({1, 4096, 0});
    const fabric::device_memory there = device->alloc(4000);
    EXPECT_THROW(static_cast<void>(device->alloc(97)), std::bad_alloc);
    device->free(there);
    device->free(device->alloc(4096));
}

} // namespace
