// SPDX-License-Identifier: Apache-2.0

// Which devices options::devices means, and what is said of them.

#include "base/port/library.hpp"
#include "on_devices.hpp"
#include "runtime/device_list.hpp"

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/detail/base/port/watched.hpp>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using skerry::detail::device_list;
using skerry::detail::parse_devices;
using testing::HasSubstr;
using testing::ThrowsMessage;

SKERRY_KERNEL(one, (int* y), { y[i] = 1; })

TEST(DeviceList, Words) {
    EXPECT_EQ(parse_devices("X", "auto").which, device_list::rule::automatic);
    EXPECT_EQ(parse_devices("X", "none").which, device_list::rule::none);
    EXPECT_EQ(parse_devices("X", "all").which, device_list::rule::all);
    const device_list list = parse_devices("X", "opencl,emulated,opencl3,emulated:speed=0.25:memory=64M:latency=50us");
    EXPECT_EQ(list.which, device_list::rule::listed);
    EXPECT_EQ(list.names, (std::vector<std::string>{"opencl", "opencl3"}));
    ASSERT_EQ(list.emulated.size(), 2U);
    EXPECT_EQ(list.emulated[1].speed, 0.25);
    EXPECT_EQ(list.emulated[1].memory, std::size_t{64} << 20);
    EXPECT_EQ(list.emulated[1].latency_ns, 50'000U);
    EXPECT_TRUE(list.has("opencl", "opencl0"));
    EXPECT_TRUE(parse_devices("X", "opencl2").has("opencl", "opencl2"));
    EXPECT_FALSE(parse_devices("X", "opencl2").has("opencl", "opencl1"));
}

TEST(DeviceList, WhatIsNotUnderstood) {
    for (const char* const wrong : {"", "gpu", "opencl,", "emulated:fast", "opencl:speed=1", "openclx", ",", "ALL"}) {
        EXPECT_THAT([&] { static_cast<void>(parse_devices("SKERRY_DEVICES", wrong)); },
                    ThrowsMessage<std::invalid_argument>(
                        "SKERRY_DEVICES=" + std::string(wrong) +
                        ": not understood; auto, none, all, or a list with commas of opencl, opencl0, emulated, "
                        "emulated:speed=0.25:memory=64M:latency=50us is accepted"));
    }
    const auto rejects = [](const char* value, const char* message) {
        EXPECT_THAT([&] { static_cast<void>(parse_devices("SKERRY_DEVICES", value)); },
                    ThrowsMessage<std::invalid_argument>(message));
    };
    rejects("emulated:speed=0", "SKERRY_DEVICES: speed=0: not understood; a number above 0, at most 1 is accepted");
    rejects("emulated:memory=1K",
            "SKERRY_DEVICES: memory=1K: not understood; a number of bytes from 4K to 1T (units K, M, G) is accepted");
    rejects("emulated:latency=5",
            "SKERRY_DEVICES: latency=5: not understood; a whole number with a unit (us, ms, s), up to 10s is accepted");
}

TEST(DeviceList, AnOptionIsCheckedWhenTheRuntimeStarts) {
    skerry::options o;
    o.devices = "gpu";
    EXPECT_THAT([&] { const skerry::runtime rt(o); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("skerry: options::devices=gpu: not understood; auto")));
}

TEST(Library, IsOpenedIfItIsThere) {
    std::string why;
    EXPECT_EQ(skerry::port::open_library(std::array{"libskerry_no_such.so.1", "libskerry_nor_this.so"}, why), nullptr);
    EXPECT_THAT(why, HasSubstr("libskerry_nor_this.so"));
    void* const found = skerry::port::open_library(std::array{"libskerry_no_such.so.1", "libm.so.6"}, why);
    ASSERT_NE(found, nullptr);
    EXPECT_NE(skerry::port::symbol_of(found, "cos"), nullptr);
    EXPECT_EQ(skerry::port::symbol_of(found, "skerry_no_such"), nullptr);
}

TEST(Devices, WhatIsThereIsDescribed) {
    skerry_test::on_devices("emulated,emulated:memory=64M", 1, [] {
        const auto all = skerry::current_devices();
        ASSERT_EQ(all.size(), 2U);
        EXPECT_EQ(all[0].name, "emulated0");
        EXPECT_EQ(all[1].name, "emulated1");
        EXPECT_EQ(all[1].memory, std::uint64_t{64} << 20);
        EXPECT_TRUE(all[0].used && all[1].used);
        EXPECT_EQ(all[0].why_not, "");
        EXPECT_EQ(all[0].launches, 0U);
    });
}

TEST(Devices, WhatComputesOnTheProcessorsIsNotTakenByItself) {
    skerry_test::on_devices("auto", 1, [] {
        for (const skerry::device_statistics& d : skerry::current_devices()) {
            EXPECT_EQ(d.used, d.why_not.empty()) << d.name;
        }
        std::vector<int> y(10);
        skerry::parallel_for(skerry::place::device, 0, 10, one, skerry::out(skerry::each(y)));
        EXPECT_EQ(y[9], 1);
    });
}

TEST(Devices, AChildOfForkRunsKernelsOnWorkers) {
    if (skerry::detail::accesses_are_watched) {
        GTEST_SKIP() << "ThreadSanitizer has no threads in the child of a fork";
    }
    const auto count = [] {
        std::vector<int> y(1000);
        skerry::parallel_for(skerry::place::device, 0, y.size(), one, skerry::out(skerry::each(y)));
        return y[999] == 1 ? skerry_test::device_iterations() : 77;
    };
    skerry::options o;
    o.workers = 2;
    o.devices = "emulated";
    skerry::runtime rt(o);
    EXPECT_EQ(rt.run(count), 1000U);
    const pid_t child = fork();
    if (child == 0) {
        _exit(rt.run(count) == 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(rt.run(count), 2000U);
}

} // namespace
