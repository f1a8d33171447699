// SPDX-License-Identifier: Apache-2.0

// What is wrong with a loop's arguments is said before anything has run.

#include "on_devices.hpp"

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/serial.hpp>

namespace {

using skerry::each;
using skerry::in;
using skerry::out;
using skerry::place;
using testing::ThrowsMessage;

SKERRY_KERNEL(copy, (const int* x, int* y), { y[i] = x[i]; })

template <class Loop>
void refuses(const Loop& loop) {
    const std::vector<int> x(10, 7);
    std::vector<int> y(20, 1);
    for (const place where : {place::any, place::cpu, place::device}) {
        EXPECT_THAT([&] { loop(where, 0, 11, copy, in(each(x)), out(each(y))); },
                    ThrowsMessage<std::out_of_range>(
                        "skerry: kernel copy, argument 1: each() with iterations 0 to 10, 1 element each, reaches "
                        "beyond an array of 10"));
        EXPECT_THAT([&] { loop(where, 0, 10, copy, in(each(x)), out(each(y, 3))); },
                    ThrowsMessage<std::out_of_range>(
                        "skerry: kernel copy, argument 2: each() with iterations 0 to 9, 3 elements each, reaches "
                        "beyond an array of 20"));
        EXPECT_THAT([&] { loop(where, -1, 10, copy, in(x), out(each(y))); },
                    ThrowsMessage<std::out_of_range>(
                        "skerry: kernel copy, argument 2: each() with iterations -1 to 9, 1 element each, reaches "
                        "beyond an array of 20"));
        EXPECT_THAT([&] { loop(where, 0, 1, copy, in(each(x, 0)), out(each(y))); },
                    ThrowsMessage<std::invalid_argument>(
                        "skerry: kernel copy, argument 1: each(x, 0): the stride must be at least 1"));
    }
    EXPECT_EQ(y, std::vector<int>(20, 1));
    loop(place::any, 0U, 10UL, copy, in(each(x, 1, 100, 100)), out(each(y, 2))); // a halo is cut at the ends
    EXPECT_EQ(y[9], 7);
}

TEST(Arguments, BeyondAnArray) {
    skerry_test::on_devices("emulated", 2, [] { refuses(skerry::parallel_for); });
}

TEST(Arguments, BeyondAnArrayInTheElision) {
    refuses([](place where, auto... rest) { skerry::serial::parallel_for(where, rest...); });
}

TEST(Arguments, ADeviceThatIsNotThere) {
    skerry_test::on_devices("emulated,emulated7", 2, [] {
        const std::vector<int> x(10, 7);
        std::vector<int> y(10);
        EXPECT_THAT([&] { skerry::parallel_for(place::device, 0, 10, copy, in(each(x)), out(each(y))); },
                    ThrowsMessage<std::invalid_argument>(
                        "skerry: options::devices (SKERRY_DEVICES) is 'emulated,emulated7': there is no usable "
                        "emulated7; found: emulated0"));
        EXPECT_EQ(y[0], 0);
        skerry::parallel_for(0, 10, copy, in(each(x)), out(each(y))); // asks for no device
        EXPECT_EQ(y[0], 7);
    });
}

} // namespace
