// SPDX-License-Identifier: Apache-2.0

// Loops over kernels on what OpenCL has here, and the end of a process that is busy with it.

#include "on_devices.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/detail/base/port/watched.hpp>
#include <skerry/serial.hpp>

#include "base/port/poison.hpp"

namespace {

using skerry::each;
using skerry::in;
using skerry::inout;
using skerry::out;
using skerry::place;

SKERRY_KERNEL(square, (const uint32_t* x, uint32_t* y), { y[i] = x[i] * x[i]; })
SKERRY_KERNEL(blend, (const float* x, float* y, float by), { y[i] = y[i] * by + x[i]; })
SKERRY_KERNEL(refused_here, (uint32_t* y), { y[i] = 5; })
SKERRY_DEVICE_BODY(refused_here, opencl, { y[i] = there_is_no_such_name; })

bool found_opencl() {
    if (skerry::detail::accesses_are_watched) {
        return false; // ThreadSanitizer does not see what a driver does
    }
    return skerry_test::on_devices("all", 1, [] {
        const auto all = skerry::current_devices();
        return !all.empty() && all.front().used;
    });
}

class Opencl : public testing::TestWithParam<skerry::device_memory> {
  protected:
    void SetUp() override {
        if (!found_opencl()) {
            GTEST_SKIP() << "there is no device of OpenCL";
        }
    }

    template <class F>
    static void run(F&& body) {
        skerry::options o;
        o.workers = 2;
        o.devices = "opencl";
        o.device_memory = GetParam();
        skerry::runtime rt(o);
        rt.run(body);
    }
};
INSTANTIATE_TEST_SUITE_P(Memory, Opencl,
                         testing::Values(skerry::device_memory::automatic, skerry::device_memory::private_),
                         [](const auto& param) {
                             return param.param == skerry::device_memory::private_ ? "private" : "automatic";
                         });

TEST_P(Opencl, BothSidesTakePart) {
    run([] {
        std::vector<uint32_t> x(40'000);
        std::vector<uint32_t> y(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            x[k] = static_cast<uint32_t>(k);
        }
        skerry::parallel_for(place::device, 0, x.size(), square, in(each(x)), out(each(y)));
        EXPECT_EQ(skerry_test::device_iterations(), x.size());
        skerry::parallel_for(0, x.size(), square, in(each(x)), out(each(y)));
        EXPECT_GT(skerry_test::device_iterations(), x.size());
        EXPECT_GT(skerry::current_statistics().kernel_iterations, 0U);
        for (std::size_t k = 0; k < x.size(); ++k) {
            ASSERT_EQ(y[k], static_cast<uint32_t>(k) * static_cast<uint32_t>(k));
        }
        const std::uint64_t sent = skerry::current_devices().front().bytes_in;
        EXPECT_EQ(sent != 0, GetParam() == skerry::device_memory::private_);
    });
}

TEST_P(Opencl, AlternatesWithWorkersAndIsEqualToTheElision) {
    run([] {
        std::vector<float> x(5000, 0.3F);
        std::vector<float> y(5000, 0.7F);
        std::vector<float> p = x;
        std::vector<float> q = y;
        for (int step = 0; step < 60; ++step) {
            const auto where = static_cast<place>(step % 3);
            const int first = step * 37 % 2000;
            const int last = 5000 - step * 11 % 2500;
            skerry::serial::parallel_for(first, last, blend, in(each(p)), inout(each(q)), 0.9F);
            skerry::parallel_for(where, first, last, blend, in(each(x)), inout(each(y)), 0.9F);
            std::swap(x, y);
            std::swap(p, q);
            ASSERT_EQ(x, p) << step;
            ASSERT_EQ(y, q) << step;
        }
    });
}

TEST_P(Opencl, AKernelThatIsRefusedRunsOnWorkersAndIsSaidOnce) {
    testing::internal::CaptureStderr();
    run([] {
        for (int round = 0; round < 3; ++round) {
            std::vector<uint32_t> y(100);
            skerry::parallel_for(round == 1 ? place::any : place::device, 0, y.size(), refused_here, out(each(y)));
            EXPECT_EQ(y, std::vector<uint32_t>(100, 5));
        }
        EXPECT_EQ(skerry::current_devices().front().failures, 1U);
        EXPECT_EQ(skerry_test::device_iterations(), 0U);
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, testing::HasSubstr("skerry: kernel refused_here (" __FILE__ ":"));
    EXPECT_THAT(said, testing::HasSubstr(") cannot be built for opencl0 and runs on workers: "));
    EXPECT_THAT(said, testing::HasSubstr("there_is_no_such_name"));
    EXPECT_EQ(said.find("skerry: kernel"), said.rfind("skerry: kernel"));
}

// Of the process that runs the test: another one may run it, too.
std::filesystem::path folder_of(pid_t process) {
    return std::filesystem::temp_directory_path() / ("skerry_kernel_at_exit_" + std::to_string(process));
}

// In a process of its own: the default runtime is busy with its devices when the process ends.
[[noreturn]] void end_after(const std::string& devices, int milliseconds) {
    const std::string cache = folder_of(getppid()).string();
    setenv("SKERRY_DEVICES", devices.c_str(), 1);
    setenv("XDG_CACHE_HOME", cache.c_str(), 1); // every kernel is built
    setenv("POCL_CACHE_DIR", cache.c_str(), 1);
    std::thread([] {
        std::vector<uint32_t> x(100'000, 3);
        std::vector<uint32_t> y(x.size());
        for (;;) {
            skerry::parallel_for(place::device, 0, x.size(), square, in(each(x)), out(each(y)));
        }
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::exit(0);
}

std::ptrdiff_t threads() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

bool has_opened(const std::string& library) {
    std::ifstream maps("/proc/self/maps");
    const std::string all{std::istreambuf_iterator<char>(maps), {}};
    return all.find(library) != std::string::npos;
}

// In a process of its own: this one has had kernels.
[[noreturn]] void end_without_kernels() {
    skerry::options o;
    o.workers = 2;
    o.devices = "all";
    skerry::runtime rt(o);
    const std::ptrdiff_t before = threads();
    std::vector<int> x(1000);
    rt.run([&] { skerry::parallel_for(x, [](int& y) { y = 1; }); });
    const bool right = threads() == before && !has_opened("OpenCL") && rt.stats().kernel_iterations == 0;
    std::_Exit(right ? 0 : 1);
}

TEST(Exit, WithoutAKernelNoLibraryIsOpenedAndNoThreadStarted) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(end_without_kernels(), testing::ExitedWithCode(0), "");
}

TEST(Exit, AtAnyMomentOfASearchABuildOrALaunch) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    std::vector<std::string> kinds{"emulated", "emulated:latency=1s"};
    // AddressSanitizer tells what a driver that is cut short leaks, and makes its builds last until its library ends.
    if (!skerry::port::poisons && found_opencl()) {
        kinds.emplace_back("opencl");
    }
    for (const std::string& kind : kinds) {
        for (const int milliseconds : {0, 1, 30, 150, 500}) {
            EXPECT_EXIT(end_after(kind, milliseconds), testing::ExitedWithCode(0), "") << kind << ' ' << milliseconds;
            std::filesystem::remove_all(folder_of(getpid()));
        }
    }
}

} // namespace
