// SPDX-License-Identifier: Apache-2.0
// The first search of a process initialises OpenCL's driver: this is a program of its own, with one test.
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skerry/skerry.hpp>

namespace {

TEST(search, several_runtimes_find_the_same_devices_at_the_same_time) {
    constexpr int runtimes = 4;
    std::vector<std::vector<skerry::device_statistics>> found(runtimes);
    std::latch together(runtimes);
    {
        std::vector<std::jthread> threads;
        for (auto& mine : found) {
            threads.emplace_back([&mine, &together] {
                skerry::options o;
                o.workers = 1;
                o.devices = "auto";
                skerry::runtime machine(o);
                machine.run([&] {
                    together.arrive_and_wait();
                    mine = skerry::current_devices();
                });
            });
        }
    }
    for (const auto& mine : found) {
        ASSERT_EQ(mine.size(), found.front().size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            EXPECT_EQ(mine[i].description, found.front()[i].description);
            EXPECT_EQ(mine[i].driver, found.front()[i].driver);
        }
    }
}

} // namespace
