// SPDX-License-Identifier: Apache-2.0

// What a driver does with a device that refuses or fails.

#include "fabric/emulated/emulated.hpp"
#include "frontend/kernel/device_driver.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <skerry/skerry.hpp>

namespace {

using namespace skerry::detail;
namespace fabric = skerry::fabric;

SKERRY_KERNEL(three, (int* y), { y[i] = 3; })
template <class Code>
const kernel_code& code_of(skerry::kernel<Code> /*kernel*/) {
    return kernel_form<Code, decltype(&Code::skerry_at)>::code;
}
const kernel_code& three_code = code_of(three);

enum class fault : unsigned char { none, build, alloc, push, launch, pull };

// An emulated device that fails at one step of a chunk.
class faulty final : public fabric::device {
  public:
    explicit faulty(fault f, bool shares = false)
        : fault_(f),
          inner_(fabric::emulated::make({})),
          about_(inner_->describe()) {
        about_.shares_memory = shares;
    }

    [[nodiscard]] const fabric::device_description& describe() const noexcept override { return about_; }
    [[nodiscard]] fabric::device_memory share(void* /*at*/, std::size_t bytes) override { return alloc(bytes); }
    [[nodiscard]] fabric::device_memory alloc(std::size_t bytes) override {
        fails_ |= built_ && fault_ == fault::alloc;
        if (fails_) {
            throw std::runtime_error("it is on fire");
        }
        return inner_->alloc(bytes);
    }
    void free(fabric::device_memory memory) noexcept override { inner_->free(memory); }
    void build(const kernel_code& kernel) override {
        if (fault_ == fault::build) {
            throw fabric::build_error("line 1: error: no such thing");
        }
        built_ = true;
        inner_->build(kernel);
    }
    void copy(fabric::direction way, std::span<const fabric::device_extent> extents, fabric::token done) override {
        fails_ |= built_ && fault_ == (way == fabric::direction::push ? fault::push : fault::pull);
        inner_->copy(way, extents, done);
    }
    void launch(const kernel_code& kernel, fabric::device_range range,
                std::span<const fabric::device_argument> arguments, fabric::token done) override {
        fails_ |= fault_ == fault::launch;
        inner_->launch(kernel, range, arguments, done);
    }
    [[nodiscard]] std::optional<fabric::device_completion> completed() override {
        auto back = inner_->completed();
        if (back && fails_) {
            back->arrived = false;
        }
        return back;
    }
    bool wait(std::uint64_t deadline_ns) override { return inner_->wait(deadline_ns); }
    void kick() noexcept override { inner_->kick(); }
    [[nodiscard]] std::string failure() const override { return fails_ ? "it is on fire" : ""; }

  private:
    const fault fault_;
    const std::unique_ptr<fabric::device> inner_;
    fabric::device_description about_;
    bool built_ = false;
    bool fails_ = false;
};

// A loop of 100 iterations; the chunks that were the workers'.
struct loop_on {
    explicit loop_on(device_driver& driver) {
        const kernel_call call{&three_code, &about, values, 0, 100};
        const transfer_plan plan(call);
        shared_loop loop{.call = call, .plan = plan, .shares = split(100, {}, driver.expected(three_code, 100))};
        loop.shares.leave(split::low);
        driver.begin(loop);
        for (split_chunk c = driver.take_low(loop); !c.empty(); c = driver.take_low(loop)) {
            low.push_back(c);
            driver.ended_low(loop, 1);
        }
        thrown = loop.thrown;
        driver.release();
    }

    std::vector<int> y = std::vector<int>(100, 0);
    int* data = y.data();
    const void* values[1] = {static_cast<const void*>(&data)};
    kernel_argument about{.data = reinterpret_cast<std::byte*>(data),
                          .element = 4,
                          .count = 100,
                          .row = 100,
                          .rows = {1, 1},
                          .pitch = {0, 0},
                          .value = false,
                          .reads = true,
                          .writes = true,
                          .each = true,
                          .stride = 1,
                          .before = 0,
                          .after = 0};
    std::vector<split_chunk> low;
    std::exception_ptr thrown;
};

std::unique_ptr<device_driver> driver_with(fault f) {
    return std::make_unique<device_driver>(std::make_unique<faulty>(f), "faulty0", false);
}

TEST(Driver, AKernelThatIsRefusedIsSaidOnce) {
    testing::internal::CaptureStderr();
    const auto driver = driver_with(fault::build);
    EXPECT_FALSE(driver->claim(three_code));
    EXPECT_FALSE(driver->claim(three_code));
    EXPECT_FALSE(driver->try_claim(three_code));
    EXPECT_EQ(driver->counts().failures, 1U);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, testing::MatchesRegex("skerry: kernel three \\(.*driver_test.cpp:[0-9]+\\) cannot be built for "
                                            "faulty0 and runs on workers: line 1: error: no such thing\n"));
}

TEST(Driver, WhatMayBeHalfUpdatedIsNotRunAgain) {
    testing::internal::CaptureStderr();
    device_driver driver(std::make_unique<faulty>(fault::launch, true), "faulty0", true);
    ASSERT_TRUE(driver.claim(three_code));
    const loop_on loop(driver);
    EXPECT_TRUE(loop.low.empty());
    ASSERT_NE(loop.thrown, nullptr);
    EXPECT_THAT([&] { std::rethrow_exception(loop.thrown); },
                testing::ThrowsMessage<std::runtime_error>(
                    "skerry: faulty0 has failed while kernel three updated memory that it shares: it is on fire"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("has failed and is not used any more"));
}

TEST(Driver, WhatADeviceDidNotRunIsTheWorkers) {
    for (const fault f : {fault::alloc, fault::push, fault::launch}) {
        testing::internal::CaptureStderr();
        const auto driver = driver_with(f);
        ASSERT_TRUE(driver->claim(three_code));
        const loop_on loop(*driver);
        ASSERT_EQ(loop.low.size(), 1U);
        EXPECT_EQ(loop.low[0].size(), 100U);
        EXPECT_EQ(loop.thrown, nullptr);
        EXPECT_EQ(loop.y, std::vector<int>(100, 0)); // nothing half written
        EXPECT_EQ(driver->failure(), "it is on fire");
        EXPECT_FALSE(driver->claim(three_code));
        EXPECT_EQ(testing::internal::GetCapturedStderr(),
                  "skerry: faulty0 has failed and is not used any more: it is on fire\n");
    }
}

TEST(Driver, WhatIsLostOnTheWayHomeIsAnError) {
    testing::internal::CaptureStderr();
    const auto driver = driver_with(fault::pull);
    ASSERT_TRUE(driver->claim(three_code));
    const loop_on loop(*driver);
    EXPECT_TRUE(loop.low.empty());
    ASSERT_NE(loop.thrown, nullptr);
    EXPECT_THAT([&] { std::rethrow_exception(loop.thrown); },
                testing::ThrowsMessage<std::runtime_error>(
                    "skerry: faulty0 has failed while it brought home what kernel three had written: it is on fire"));
    static_cast<void>(testing::internal::GetCapturedStderr());
}

TEST(Driver, ADeviceThatWorks) {
    const auto driver = driver_with(fault::none);
    ASSERT_TRUE(driver->claim(three_code));
    EXPECT_FALSE(driver->try_claim(three_code)); // it is taken
    const loop_on loop(*driver);
    EXPECT_TRUE(loop.low.empty());
    EXPECT_EQ(loop.y, std::vector<int>(100, 3));
    EXPECT_EQ(driver->counts().launches, 1U);
    EXPECT_TRUE(driver->try_claim(three_code));
    driver->release();
}

} // namespace
